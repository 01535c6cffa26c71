import { Informer } from './informer.ts';
import { MERGE_PATCH, type ApiClient } from '../client/api-client.ts';
import { isRecord } from '../client/kubernetes-object.ts';
import { isCurrent, objectPath, observed, placeOf, policyKind } from './policy-kind.ts';
import { isShown, shownStatus, statusPatch, type PolicyAdvice, type PolicyVerdict } from './policy-status.ts';
import type { ClockRandomAndTimer } from '../client/timing.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { Budget } from '../../engine/policy/budget.ts';
import type { PolicyKind, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { LeftOut, OverBudgetChange } from './object-store.ts';
import type { ObservedObject, PolicyRecord } from './policy-kind.ts';
import type { SourceProblem } from './policy-source.ts';
import type { StatusWriter, WrittenStatus } from './status-writer.ts';

/** Takes a task for each policy that is new or has changed, and the place of each policy that is gone. */
export interface PolicyStatuses extends Pick<StatusWriter, 'put' | 'drop'> {
  /** The advice about a policy in force, for its status. Takes time. */
  readonly advice?: (policy: ProbePolicy) => readonly PolicyAdvice[];
}

export interface PolicyListener {
  readonly changed: () => void;
  /** The newest version of a policy cannot be used. Reported once for each version. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** A version that comes into force has warnings. */
  readonly warned: (warnings: readonly SourceProblem[]) => void;
  readonly overBudget: (change: OverBudgetChange) => void;
  readonly statuses: PolicyStatuses | undefined;
  readonly troubled: (problem: string | undefined) => void;
}

export interface PolicyCounts {
  readonly overBudget: Readonly<Record<Budget, number>>;
  readonly used: number;
  readonly problems: number;
}

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';

export class PolicyInformer {
  readonly kind: PolicyKind;
  readonly informer: Informer<PolicyRecord>;
  readonly #client: ApiClient;
  readonly #now: () => number;
  readonly #listener: PolicyListener;
  readonly #total: number;

  /** @param total bytes of memory that the ProbePolicies of all namespaces may take together */
  constructor(
    catalogue: CheckCatalogue,
    kind: PolicyKind,
    client: ApiClient,
    listener: PolicyListener,
    clock: ClockRandomAndTimer,
    { total, renewalMilliseconds }: { readonly total: number; readonly renewalMilliseconds: number | undefined },
  ) {
    this.kind = kind;
    this.#client = client;
    this.#now = clock.now;
    this.#listener = listener;
    this.#total = total;
    const { changed, overBudget, troubled } = listener;
    const events = {
      changed,
      overBudget,
      troubled,
      kept: (record: PolicyRecord) => {
        this.#log(record);
        this.#judge(record);
      },
      leftOut: (left: LeftOut<PolicyRecord>) => this.#judgeLeftOut(left),
      gone: (namespace: string, name: string) =>
        listener.statuses?.drop(placeOf({ kind, namespace: namespace || undefined, name })),
    };
    this.informer = new Informer(client, policyKind(catalogue, kind, total), events, clock, renewalMilliseconds);
  }

  policies(): readonly ProbePolicy[] {
    return [...this.informer.store.all()].flatMap(({ inForce }) => inForce?.policy ?? []);
  }

  /** Puts the status of each policy again. Of policies that are left out, nothing is kept, so they are listed again. */
  judgeAll(): void {
    for (const record of this.informer.store.all()) this.#judge(record);
    this.informer.listAgainIfLeftOut();
  }

  problems(most: number): SourceProblem[] {
    const bad = [...this.informer.store.all()].filter(({ problems }) => problems.count > 0);
    return bad.slice(0, most).flatMap(problemsOf).slice(0, most);
  }

  counts(): PolicyCounts {
    let [tooLarge, problems] = [0, 0];
    for (const record of this.informer.store.all()) {
      if (record.tooLarge !== undefined) tooLarge++;
      problems += record.problems.count;
    }
    const { leftOut, used } = this.informer.store.counts();
    return { overBudget: { ...leftOut, object: tooLarge }, used, problems };
  }

  #log(record: PolicyRecord): void {
    if (record.isLogged) return;
    record.isLogged = true;
    if (record.problems.count > 0) this.#listener.failed(problemsOf(record));
    const { inForce, seen } = record;
    if (!isCurrent(record) || inForce === undefined || inForce.warnings.length === 0) return;
    this.#listener.warned(inForce.warnings.map((message) => ({ place: placeOf(seen.reference), message })));
  }

  #judge(record: PolicyRecord): void {
    const { seen, inForce, problems, tooLarge } = record;
    const newest = isCurrent(record) ? inForce : undefined;
    this.#putStatus(seen, () => ({
      generation: seen.generation ?? 0,
      problems: problems.shown,
      problemCount: problems.count,
      warnings: newest?.warnings ?? [],
      advice: newest === undefined ? [] : (this.#listener.statuses?.advice?.(newest.policy) ?? []),
      ...(tooLarge !== undefined && { overBudget: { ...this.#budget('object', ''), bytes: tooLarge } }),
      good: inForce?.generation,
    }));
  }

  #judgeLeftOut({ namespace, reason, object, entry }: LeftOut<PolicyRecord>): void {
    const seen = entry?.seen ?? (object && observed(this.kind, object));
    if (seen === undefined || reason === 'invalid') return;
    const generation = seen.generation ?? 0;
    const verdict = { generation, problems: [], good: undefined };
    this.#putStatus(seen, () => ({ ...verdict, overBudget: this.#budget(reason, namespace) }));
  }

  #budget(budget: Budget, namespace: string): NonNullable<PolicyVerdict['overBudget']> {
    const { store } = this.informer;
    return { budget, use: store.useOf(namespace), total: { bytes: this.#total, level: store.level } };
  }

  #putStatus(seen: ObservedObject, verdict: () => PolicyVerdict): void {
    const { reference, resourceVersion } = seen;
    const write = (signal: AbortSignal): Promise<WrittenStatus | undefined> => this.#write(seen, verdict(), signal);
    this.#listener.statuses?.put({ place: placeOf(reference), resourceVersion, write });
  }

  async #write(
    { reference, shown }: ObservedObject,
    wanted: PolicyVerdict,
    signal: AbortSignal,
  ): Promise<WrittenStatus | undefined> {
    const body = statusPatch(shown, wanted, this.#now());
    if (body === undefined) return undefined;
    const object = await this.#client.request({
      method: 'PATCH',
      path: `${objectPath(reference)}/status`,
      query: { fieldManager: FIELD_MANAGER },
      contentType: MERGE_PATCH,
      body,
      signal,
    });
    const { status, metadata } = isRecord(object) ? object : {};
    const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
    const resourceVersion = typeof version === 'string' ? version : undefined;
    return { isKept: isShown(shownStatus(status), wanted), resourceVersion };
  }
}

function problemsOf({ seen, problems }: PolicyRecord): SourceProblem[] {
  const place = placeOf(seen.reference);
  return problems.shown.map((message) => ({ place, message }));
}
