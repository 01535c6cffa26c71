import { isOfController } from '../observed-workload.ts';
import type { ReportsSetting } from '../../cluster/sources/observer-reports.ts';
import { cut } from '../../base/text/cut.ts';
import { laxer, type Enforcement } from '../../engine/policy/action.ts';
import { judgeObject, sourcesOf, type Judgement } from '../../engine/verdict/judge.ts';
import { judgementOfUnseen } from '../../engine/verdict/unseen.ts';
import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import { controllerOwners, isKubernetesKind, isMadeByKubernetes } from '../../engine/workload/workload-of-pod.ts';
import { BUILT_IN_KINDS, isPod, isReadyMade, templatesToLookAt } from '../../engine/workload/kinds.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import type { Pod } from '../../engine/workload/pod.ts';
import { withoutWrongStarts } from '../failing/causes.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import { versionOf, workloadKey, workloadOf } from '../observed-workload.ts';
import { reportContent, type JudgedWorkload, type ReportContent } from '../reports/report-object.ts';
import { resultOfViolation, resultOfWarning, type ReportResult } from '../reports/report-result.ts';
import { fittingRestart } from '../../explain/fleet-page/restart-line.ts';
import type { Logger } from 'pino';
import type { JsonObject } from '../../base/json/json-value.ts';
import { workloadState } from '../failing/workload-waits.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { ObservedKind, ObservedWorkload, NamedObject } from '../observed-workload.ts';
import type { InForce } from '../missed/missed-verdicts.ts';
import type { ObserverContext } from '../observer-part.ts';

export interface ScanDependencies extends ObserverContext {
  readonly settings: VerdictSettings;
  /** `includeClean`: workloads without findings have a report, too. */
  readonly reportSettings: { readonly setting: ReportsSetting; readonly includeClean: boolean };
  /** In milliseconds. */
  readonly scanInterval: number;
}

export interface VerdictsListener {
  /** The workload is new, or its verdict has changed. */
  changed(record: WorkloadRecord): void;
  /** The workload is gone, or is looked at no longer. */
  gone(namespace: string, uid: string): void;
}

/** The run that an object is judged in. One run uses one instant. */
export interface ScanRun {
  /** For the log: all events of one run have the same id. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The object is older than the judged one. */
export type Outdated = 'outdated';

/** Findings of one workload that are logged when its verdict changes. */
const MOST_LOGGED = 50;
/** Everybody who may write an object chooses its owner, so only the first unknown controllers are named. */
const MOST_NAMED = 100;

/** Judges workloads, and keeps a record of each verdict. */
export class Verdicts {
  readonly records: WorkloadRecords = new NamespaceShares(Infinity);
  /** Exempt namespaces with workloads: nothing else is known of these workloads. */
  readonly #exempt = new Set<string>();
  readonly #noteController: ReturnType<typeof unknownControllers>;
  readonly #dependencies: ScanDependencies;
  readonly #listener: VerdictsListener;

  constructor(dependencies: ScanDependencies, listener: VerdictsListener) {
    this.#dependencies = dependencies;
    this.#noteController = unknownControllers(dependencies.log);
    this.#listener = listener;
  }

  /** The content of the report. Undefined for an object that is not looked at. */
  take(object: KubernetesObject, kind: ObservedKind, run: ScanRun): ReportContent | Outdated | undefined {
    const { store, isExempt, failing, extraResults, settings, inForce } = this.#dependencies;
    const workload = workloadOf(object, kind);
    const snapshot = store.current;
    if (workload === undefined || snapshot === undefined) return undefined;
    if (isExempt(workload.namespace)) {
      this.#exempt.add(workload.namespace);
      this.forget(workload);
      return undefined;
    }
    this.#noteController(object, workload.kind);
    const version = versionOf(object);
    const before = recordOf(this.records, workload);
    const isKnown = before?.workload.uid === workload.uid;
    // A page of a list, or an answer, may be older than an event that has come since.
    if (isKnown && before.version > version) return 'outdated';
    // The owner is judged in its place, also when it has adopted the object since.
    if (isOfController(object, kind.served)) {
      this.forget(workload);
      return undefined;
    }
    const { group, kind: ownKind } = workload;
    const state = isPod(kind.templates) ? undefined : workloadState(object as unknown as JsonObject, group, ownKind);
    if (state !== undefined) failing.workload(workload, state);
    const live = judgeLive(object, kind, snapshot, { ...settings, inForce }, run.now);
    if (live === undefined) {
      this.forget(workload);
      return undefined;
    }
    const extra = fittingRestart(extraResults.of(workload), workload);
    const judged = judgedWorkload(workload, kind, live, extra);
    const content = reportContent(judged, extra);
    if (before !== undefined && !isKnown) this.#listener.gone(workload.namespace, before.workload.uid);
    const record = {
      workload,
      digest: content.hash,
      isClean: content.results.length === 0,
      version,
      findings: judged.results.map(({ rule, properties: { action = 'Warn', stored } }) => ({
        rule,
        action,
        ...(stored !== undefined && { stored: 'without-verdict' }),
      })),
    };
    this.note(record);
    if (!isKnown || before.digest !== content.hash) {
      this.#log(content, run);
      this.#listener.changed(record);
    }
    return content;
  }

  note(record: WorkloadRecord): void {
    this.records.set(record.workload.namespace, workloadKey(record.workload), record);
  }

  /** True when a namespace is exempt no longer, once: none of its workloads has a record. */
  isExemptionOver(): boolean {
    const over = [...this.#exempt].filter((namespace) => !this.#dependencies.isExempt(namespace));
    for (const namespace of over) this.#exempt.delete(namespace);
    return over.length > 0;
  }

  /** The workload is gone. A record of a later workload of the same name stays. False without a record. */
  forget(workload: ObservedWorkload): boolean {
    if (recordOf(this.records, workload)?.workload.uid !== workload.uid) return false;
    this.records.delete(workload.namespace, workloadKey(workload));
    this.#dependencies.failing.workload(workload, undefined);
    this.#listener.gone(workload.namespace, workload.uid);
    return true;
  }

  #log({ workload: { namespace, kind, name }, results }: ReportContent, run: ScanRun): void {
    const { log } = this.#dependencies;
    for (const { rule, properties, message, policy, result } of results.slice(0, MOST_LOGGED)) {
      const { container, probe, action, stored } = properties;
      log.info(
        { scan: run.id, namespace, kind, name, container, probe, check: rule, action, result, policy, message, stored },
        'violation',
      );
    }
  }
}

/**
 * Names objects with a controller that Kubernetes does not have, once for each pair of kinds. Kubernetes makes no Pod
 * for a ConfigMap. The observer does not learn which account made an object. The webhook's log names the account.
 */
export function unknownControllers(log: Logger): (object: KubernetesObject, kind: string) => void {
  const named = new Set<string>();
  return (object, kind) => {
    const json = object as unknown as JsonObject;
    const owners = controllerOwners(json).map((owner) => `${owner.apiVersion}/${owner.kind}`);
    if (named.size >= MOST_NAMED || owners.length === 0 || canHaveController(json, kind)) return;
    const owner = cut(owners.join(), 253);
    const pair = `${kind} of ${owner}`;
    if (named.has(pair)) return;
    named.add(pair);
    const { namespace, name } = object.metadata;
    log.warn({ kind, owner, namespace, name }, 'the object has a controller that Kubernetes does not have');
  };
}

export interface WorkloadRecord {
  readonly workload: ObservedWorkload;
  readonly digest: string;
  readonly isClean: boolean;
  /** The version of the object that was judged. NaN = unknown. */
  readonly version: number;
  readonly findings: readonly { readonly rule: string; readonly action: string; readonly stored?: string }[];
}

export type WorkloadRecords = NamespaceShares<WorkloadRecord>;

export function recordOf(records: WorkloadRecords, workload: NamedObject): WorkloadRecord | undefined {
  return records.get(workload.namespace, workloadKey(workload));
}

export interface VerdictSettings {
  /** The strictest action that a violation may have. */
  readonly enforcement: Enforcement;
  readonly addsProbes: boolean;
  /** Absent = nothing is told about how a workload was stored. */
  readonly inForce?: Pick<InForce, 'missedVerdict'>;
}

export interface LiveJudgement extends Judgement {
  /** The object with its type, which lists leave out of their items. */
  readonly object: JsonObject;
  readonly pods: readonly Pod[];
  /** For a violation of an object that was stored without a verdict: how that can be. */
  readonly stored: (violation: Violation) => string | undefined;
}

/**
 * Judges a live object as the webhook would judge it at its next change. Returns undefined for an object that the
 * webhook does not look at.
 *
 * @param now milliseconds since the epoch
 */
export function judgeLive(
  item: KubernetesObject,
  { served: { apiVersion, kind }, templates: known }: ObservedKind,
  snapshot: Snapshot,
  { enforcement, addsProbes, inForce }: VerdictSettings,
  now: number,
): LiveJudgement | undefined {
  const object = { ...item, apiVersion, kind } as unknown as JsonObject;
  const found = templatesToLookAt(object, known);
  if (found.kind === 'skipped') return undefined;
  const unseen = judgementOfUnseen(object, found.templates);
  const pods = unseen ? [] : readPods(found.templates, known);
  const subject = { object, kind: known, pods, namespace: item.metadata.namespace ?? '' };
  const judgement = unseen ?? judgeObject(subject, snapshot, addsProbes && !isPod(known), now);
  const violations = judgement.violations.map((one) => ({ ...one, action: laxer(one.action, enforcement) }));
  // The API server sends no object of a ready-made kind to the webhook.
  const missed = isReadyMade(known) ? undefined : inForce?.missedVerdict(object, sourcesOf(judgement), snapshot);
  // An exception that has ended allowed the object.
  const stored = ({ action, ended }: Violation): string | undefined =>
    action === 'Deny' && ended === undefined ? missed : undefined;
  return { ...judgement, violations, object, pods, stored };
}

function judgedWorkload(
  workload: ObservedWorkload,
  { templates: kind }: ObservedKind,
  { violations: all, warnings, pods, inForce, stored }: LiveJudgement,
  extra: readonly ReportResult[],
): JudgedWorkload {
  const violations = withoutWrongStarts(all, extra);
  const layersOf = (one: Violation): readonly ProbePolicy[] => inForce[templateOf(one, pods)]?.layers ?? [];
  const results = [
    ...withoutRepeats(violations).map((one) => resultOfViolation(one, layersOf(one), workload.namespace, stored(one))),
    ...(isPod(kind) ? [] : warnings.map(resultOfWarning)),
  ];
  const violated = new Set(all.map(({ check }) => check));
  const checks = [...(inForce[0]?.checkPolicy('') ?? [])].filter(([, { action }]) => action !== 'Off');
  return { workload, results, passed: checks.filter(([check]) => !violated.has(check)).length };
}

/** The index of the Pod template that a violation is in. */
function templateOf({ path }: Violation, pods: readonly Pod[]): number {
  if (pods.length === 1) return 0;
  return pods.findIndex((pod) => pod.path.every((step, index) => path[index] === step));
}

/**
 * True if a controller can have made the object: of a custom kind, or one that Kubernetes has for the owner.
 *
 * @param kind a built-in kind
 */
export function canHaveController(object: JsonObject, kind: string): boolean {
  const owners = controllerOwners(object);
  const made = BUILT_IN_KINDS.filter((built) => built.kind === kind);
  const isPossible = (owner: (typeof owners)[number]): boolean =>
    // A Node owns static Pods.
    (kind === 'Pod' && owner.kind === 'Node') || made.some((each) => isMadeByKubernetes(owner, each));
  return owners.length > 0 && owners.every((owner) => !isKubernetesKind(owner) || isPossible(owner));
}
