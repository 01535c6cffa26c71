import { objectPath, POLICY_COLLECTIONS } from '../client/api-path.ts';
import { textAt, valueAt } from '../../base/json/field-path.ts';
import { cut } from '../../base/text/cut.ts';
import { MAX_SPEC_BYTES } from '../../engine/policy/bounds.ts';
import { NO_LIMITS, POLICY_LIMITS, policyTotal, type Budget } from '../../engine/policy/budget.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { parseProbePolicy } from '../../engine/policy/read-policy.ts';
import type { PolicyKind, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import { formatProblem } from '../../engine/policy/reader.ts';
import { adviceAbout, type PolicyAdvice } from '../../engine/verdict/policy-advice.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import { Informer, type InformerContext, type InformerListener } from './informer.ts';
import { shownStatus, statusPatch, type PolicyVerdict, type ShownStatus } from './policy-status.ts';
import { NotKept, patchStatus, type ObjectStatuses } from './object-statuses.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import type { Named, StoredKind } from './object-store.ts';
import type { LeftOut } from './left-out-objects.ts';
import type { SourceListener } from './policy-source.ts';

/** Takes a task for each policy that is new or has changed, and the place of each policy that is gone. */
export type PolicyStatuses = Pick<ObjectStatuses, 'put' | 'drop'>;

type PolicyListener = Pick<InformerListener<PolicyRecord>, 'changed' | 'overBudget' | 'troubled'> &
  Required<Pick<SourceListener, 'failed' | 'warned'>>;

export interface PolicyCounts {
  readonly overBudget: Readonly<Record<Budget, number>>;
  readonly used: number;
  readonly problems: number;
}

/** What is known of a policy from its object alone. */
interface ObservedObject {
  /** As a policy's `source` is written: `ProbePolicy/apps/web`, `ClusterProbePolicy/base`. */
  readonly place: string;
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly resourceVersion: string | undefined;
  readonly shown: ShownStatus;
}

interface PolicyVersion {
  readonly generation: number;
  /** Of the spec as JSON. */
  readonly bytes: number;
  readonly policy: ProbePolicy;
  readonly warnings: readonly string[];
  /** Known once a status was to be written: it takes time, and each write of a status brings the policy again. */
  advice?: readonly PolicyAdvice[];
}

/** The record of a policy. The object itself is dropped, because most of it is metadata that is not needed. */
export interface PolicyRecord extends Named, ObservedObject {
  /** The newest version, or the last one that could be read. */
  readonly inForce: PolicyVersion | undefined;
  /** Why the newest version cannot be read: as many problems as are kept. */
  readonly problems: readonly string[];
  readonly problemCount: number;
  /** The bytes of the newest spec, if they are too many. */
  readonly tooLarge: number | undefined;
  isLogged: boolean;
}

/** The policies of a kind, as an informer knows them, and what their statuses should say. */
export class InformedPolicies {
  readonly kind: PolicyKind;
  readonly informer: Informer<PolicyRecord>;
  readonly #context: InformerContext;
  readonly #listener: PolicyListener;
  readonly #statuses: PolicyStatuses | undefined;
  readonly #total: number;

  /**
   * @param statuses absent: nobody writes statuses
   * @param total bytes that the ProbePolicies of all namespaces may have together
   */
  constructor(
    context: InformerContext,
    kind: PolicyKind,
    listener: PolicyListener,
    statuses: PolicyStatuses | undefined,
    total: number,
  ) {
    this.kind = kind;
    this.#context = context;
    this.#listener = listener;
    this.#statuses = statuses;
    this.#total = total;
    this.informer = new Informer(context, policyKind(kind, total), {
      ...listener,
      kept: (record) => {
        this.#log(record);
        this.#judge(record);
      },
      leftOut: (left) => this.#judgeLeftOut(left),
      gone: (namespace, name) => statuses?.drop(placeOf(kind, namespace, name)),
    });
  }

  /** The policies in force. */
  policies(): readonly ProbePolicy[] {
    return this.informer.store.all().flatMap(({ inForce }) => inForce?.policy ?? []);
  }

  /** Puts the status of each policy again. Of policies that are left out, nothing is kept, so they are listed again. */
  judgeAll(): void {
    for (const record of this.informer.store.all()) this.#judge(record);
    this.informer.listAgainIfLeftOut();
  }

  problems(): readonly string[] {
    return this.informer.store.all().flatMap(problemsOf);
  }

  counts(): PolicyCounts {
    const { leftOut, used } = this.informer.store.counts();
    const records = this.informer.store.all();
    return {
      overBudget: { ...leftOut, object: records.filter(({ tooLarge }) => tooLarge !== undefined).length },
      used,
      problems: records.reduce((sum, { problemCount }) => sum + problemCount, 0),
    };
  }

  #log(record: PolicyRecord): void {
    if (record.isLogged) return;
    record.isLogged = true;
    if (record.problemCount > 0) this.#listener.failed(problemsOf(record));
    const warnings = currentVersion(record)?.warnings ?? [];
    if (warnings.length > 0) this.#listener.warned(warnings.map((warning) => `${record.place}: ${warning}`));
  }

  #judge(record: PolicyRecord): void {
    const { inForce, problems, problemCount, tooLarge } = record;
    const newest = currentVersion(record);
    this.#putStatus(record, () => ({
      problems,
      problemCount,
      warnings: newest?.warnings ?? [],
      advice: newest === undefined ? [] : (newest.advice ??= adviceAbout(newest.policy)),
      ...(tooLarge !== undefined && { overBudget: { ...this.#budget('object', ''), bytes: tooLarge } }),
      good: inForce?.generation,
    }));
  }

  #judgeLeftOut({ namespace, reason, object, entry }: LeftOut<PolicyRecord>): void {
    const seen = entry ?? (object && observed(this.kind, object));
    if (seen === undefined || reason === 'invalid') return;
    this.#putStatus(seen, () => ({ problems: [], good: undefined, overBudget: this.#budget(reason, namespace) }));
  }

  #budget(budget: Budget, namespace: string): NonNullable<PolicyVerdict['overBudget']> {
    return {
      budget,
      use: this.informer.store.useOf(namespace),
      total: policyTotal(this.#total),
    };
  }

  /** @param verdict what the status should say by now; takes time for a policy with advice */
  #putStatus(seen: ObservedObject, verdict: () => Omit<PolicyVerdict, 'generation'>): void {
    const { place: key, resourceVersion, generation = 0, shown } = seen;
    const write = async (signal: AbortSignal): Promise<void> => {
      const wanted = { generation, ...verdict() };
      const { client, now } = this.#context;
      const patch = statusPatch(shown, wanted, now());
      if (patch === undefined) return;
      const object = await patchStatus(client, pathOf(this.kind, key), 'probewright-status', patch, signal);
      const isKept = statusPatch(shownStatus(valueAt(object, ['status'])), wanted, now()) === undefined;
      if (!isKept) throw new NotKept(textAt(object, 'metadata', 'resourceVersion'));
    };
    this.#statuses?.put({ key, resourceVersion, write });
  }
}

function problemsOf({ place, problems }: PolicyRecord): readonly string[] {
  return problems.map((problem) => `${place}: ${problem}`);
}

/** The version in force, if it is the newest. */
function currentVersion({ inForce, problemCount, tooLarge }: PolicyRecord): PolicyVersion | undefined {
  return problemCount === 0 && tooLarge === undefined ? inForce : undefined;
}

function placeOf(kind: PolicyKind, namespace: string | undefined, name: string): string {
  return [kind, ...(namespace === undefined || namespace === '' ? [] : [namespace]), name].join('/');
}

/** Where the API server has the policy of a place. */
function pathOf(kind: PolicyKind, place: string): string {
  const [name = '', namespace] = place.split('/').slice(1).toReversed();
  return objectPath(POLICY_COLLECTIONS[kind], { namespace, name });
}

/** Policies as they are mirrored. `total` = bytes that those of all namespaces may have together. */
export function policyKind(kind: PolicyKind, total: number): StoredKind<PolicyRecord> {
  return {
    kind,
    ...POLICY_COLLECTIONS[kind],
    isRequired: true,
    limits: kind === 'ProbePolicy' ? { ...POLICY_LIMITS, total: policyTotal(total) } : NO_LIMITS,
    effectOf: (record) => record?.inForce?.policy,
    bytes: ({ inForce }) => inForce?.bytes ?? 0,
    read: (object, before) => ({ fact: readRecord(kind, object as unknown as KubernetesObject, before) }),
  };
}

function observed(kind: PolicyKind, object: KubernetesObject): ObservedObject {
  const { name, namespace, uid, generation, resourceVersion } = object.metadata;
  const shown = shownStatus((object as { status?: unknown }).status);
  return { place: placeOf(kind, namespace, name), uid, generation, resourceVersion, shown };
}

function readRecord(kind: PolicyKind, object: KubernetesObject, before: PolicyRecord | undefined): PolicyRecord {
  const { name } = object.metadata;
  const seen = observed(kind, object);
  // An object that was deleted and created again under the same name has a new history.
  const earlier = before?.uid === seen.uid ? before : undefined;
  if (seen.resourceVersion !== undefined && earlier?.resourceVersion === seen.resourceVersion) return earlier;
  // The generation counts changes of the spec.
  if (earlier !== undefined && seen.generation !== undefined && seen.generation === earlier.generation)
    return { ...earlier, ...seen };
  const { version: inForce = earlier?.inForce, problems = [], tooLarge } = readVersion(kind, object);
  const kept = { problems: keptProblems(problems), problemCount: problems.length };
  return { ...seen, ...kept, name, inForce, tooLarge, isLogged: false };
}

/** Never throws, so that one object that cannot be read does not affect the others. */
function readVersion(
  kind: PolicyKind,
  object: KubernetesObject,
): { readonly version?: PolicyVersion; readonly problems?: readonly string[]; readonly tooLarge?: number } {
  const { spec, metadata } = object as KubernetesObject & { readonly spec?: unknown };
  try {
    const bytes = Buffer.byteLength(specText(spec) ?? '');
    if (bytes > MAX_SPEC_BYTES) return { tooLarge: bytes };
    // The items of a list have no apiVersion and no kind.
    const parsed = parseProbePolicy(CHECK_CATALOGUE, { apiVersion: POLICY_API_VERSION, kind, metadata, spec });
    if (parsed.problems !== undefined) return { problems: parsed.problems.map(formatProblem) };
    const { policy, warnings } = parsed;
    return { version: { generation: metadata.generation ?? 0, policy, warnings: warnings.map(formatProblem), bytes } };
  } catch (error) {
    return { problems: [`cannot be read: ${String(error)}`] };
  }
}

/** Undefined for an absent spec, and for one that is nested too deep for JSON. The parser reports both. */
function specText(spec: unknown): string | undefined {
  try {
    return JSON.stringify(spec);
  } catch {
    return undefined;
  }
}

/** Thousands of policies may have a hundred problems each. */
const MAX_PROBLEMS_LENGTH = 1024;

function keptProblems(problems: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const problem of problems) {
    length += problem.length;
    if (kept.length > 0 && length > MAX_PROBLEMS_LENGTH) break;
    kept.push(cut(problem, MAX_PROBLEMS_LENGTH));
  }
  return kept;
}
