import { textAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { isBeingDeleted } from '../../engine/workload/kinds.ts';
import { conditionsOf, instantOf, metadataOf, type ToldCondition } from '../live-pod.ts';
import { AT_ONCE, REASONED_MILLISECONDS, SILENT_MILLISECONDS, spokenWords, type Wait } from './pod-waits.ts';
import type { NamedObject } from '../observed-workload.ts';
import type { Failure } from './diagnosis.ts';
import type { Warning } from './warnings.ts';

/** What the status of a workload tells about Pods that are not there. Times are in milliseconds since the epoch. */
export interface WorkloadState {
  readonly workload: NamedObject;
  /** What the conditions say. */
  readonly waits: readonly Wait[];
  /** Pods that the workload asks for and does not have. */
  readonly lacking: number;
  readonly hasNone: boolean;
  /** Creates a Pod after the earlier one is Ready. */
  readonly isOrdered: boolean;
  /** Since when it has asked for them, at the earliest. */
  readonly since: number;
  /** Pods that failed before this time count no longer. */
  readonly succeededAt: number | undefined;
}

/** Conditions by which controllers say that they cannot go on, while they are True. */
const STOPPED: readonly unknown[] = ['ReplicaFailure', 'Failed', 'FailureTarget', 'InvalidSpec'];
/** Conditions of a workload that is done, or is not to run. */
const AT_REST: readonly unknown[] = ['Complete', 'SuccessCriteriaMet', 'Suspended'];

/** Undefined for an object without a status. */
export function workloadState(object: JsonObject, group: string, kind: string): WorkloadState | undefined {
  const workload = { namespace: metadataOf(object, 'namespace'), group, kind, name: metadataOf(object, 'name') };
  const conditions = conditionsOf(object);
  // Some lists leave the status out.
  if (!isJsonObject(object['status'])) return undefined;
  const counts = countsOf(object);
  const atRest = { workload, waits: [], lacking: 0, hasNone: false, isOrdered: false, since: 0, succeededAt: Infinity };
  if (isAtRest(object, conditions) || (counts?.wanted === 0 && !isJob(workload))) return atRest;
  const { wanted = 0, existing = 0 } = counts ?? {};
  const progress = conditions.find(({ type }) => type === 'Progressing');
  const createdAt = instantOf(objectMember(object, 'metadata') ?? {}, 'creationTimestamp') ?? Infinity;
  const lastRun = workload.kind === 'CronJob' ? cronJobWait(object) : undefined;
  return {
    workload,
    waits: [...conditionWaits(conditions, progress), ...(lastRun ?? []), ...jobWait(object, workload)],
    lacking: Math.max(0, wanted - existing),
    hasNone: existing === 0 && !isJob(workload) && numberAt(object, 'status', 'terminatingReplicas') === 0,
    isOrdered: workload.kind === 'StatefulSet' && textAt(object, 'spec', 'podManagementPolicy') !== 'Parallel',
    since: Math.max(createdAt, progress?.since ?? 0),
    succeededAt: succeededAt(object, workload),
  };
}

/** True for a workload that is not to have Pods now: suspended, complete, or being deleted. */
function isAtRest(object: JsonObject, conditions: readonly ToldCondition[]): boolean {
  const isDone = conditions.some(({ type, isTrue }) => isTrue && AT_REST.includes(type));
  return isDone || isBeingDeleted(object) || valueAt(object, ['spec', 'suspend']) === true;
}

function isJob({ group, kind }: NamedObject): boolean {
  return group === 'batch' && (kind === 'Job' || kind === 'CronJob');
}

function numberAt(object: JsonObject, part: 'spec' | 'status', name: string, otherwise = 0): number {
  const value = valueAt(object, [part, name]);
  return typeof value === 'number' ? value : otherwise;
}

/** The Pods that a workload asks for, and has. Undefined for a kind that counts in another way. */
function countsOf(object: JsonObject): { readonly wanted: number; readonly existing: number } | undefined {
  const desired = valueAt(object, ['status', 'desiredNumberScheduled']);
  if (typeof desired === 'number')
    return { wanted: desired, existing: numberAt(object, 'status', 'currentNumberScheduled') };
  const completions = valueAt(object, ['spec', 'completions']);
  const parallelism = valueAt(object, ['spec', 'parallelism']);
  if (typeof parallelism === 'number') {
    const left = typeof completions === 'number' ? completions - numberAt(object, 'status', 'succeeded') : parallelism;
    return { wanted: Math.min(parallelism, Math.max(0, left)), existing: numberAt(object, 'status', 'active') };
  }
  // A CronJob has neither.
  if (valueAt(object, ['spec', 'template']) === undefined) return undefined;
  return { wanted: numberAt(object, 'spec', 'replicas', 1), existing: numberAt(object, 'status', 'replicas') };
}

function conditionWaits(conditions: readonly ToldCondition[], progress: ToldCondition | undefined): Wait[] {
  const stopped = conditions.filter(({ type, isTrue }) => isTrue && STOPPED.includes(type));
  const told = stopped.map((one) =>
    waitOf(one, one.type === 'ReplicaFailure' ? 'pods-not-created' : 'workload-failed'),
  );
  // A Job has both Failed and FailureTarget for the same reason.
  const once = told.filter(({ cause }, index) => told.findIndex((other) => other.cause === cause) === index);
  if (once.length > 0 || progress === undefined || progress.isTrue || progress.reason === 'DeploymentPaused')
    return once;
  return [waitOf(progress, 'workload-failed')];
}

function waitOf({ reason, words, since = 0 }: ToldCondition, cause: Wait['cause']): Wait {
  return { container: undefined, cause, reason, words: spokenWords(words), since, patience: AT_ONCE };
}

/** A Job tries again until its backoffLimit. One that has had a success goes on. */
function jobWait(object: JsonObject, { group, kind }: NamedObject): Wait[] {
  const failed = numberAt(object, 'status', 'failed');
  if (group !== 'batch' || kind !== 'Job' || failed === 0 || numberAt(object, 'status', 'succeeded') > 0) return [];
  const startedAt = instantOf(objectMember(object, 'status') ?? {}, 'startTime') ?? 0;
  const limit = numberAt(object, 'spec', 'backoffLimit', 6);
  const words = `failed Pods: ${failed}; backoffLimit: ${limit}`;
  return [{ container: undefined, cause: 'pod-failed', words, since: startedAt, patience: AT_ONCE }];
}

/** The last run of a CronJob is over, and the last success is older. */
function cronJobWait(object: JsonObject): Wait[] | undefined {
  const status = objectMember(object, 'status') ?? {};
  const scheduledAt = instantOf(status, 'lastScheduleTime');
  const isActive = Array.isArray(status['active']) && status['active'].length > 0;
  if (scheduledAt === undefined || isActive || (instantOf(status, 'lastSuccessfulTime') ?? 0) >= scheduledAt)
    return undefined;
  const words = 'the last run has ended, and has not succeeded';
  const patience = REASONED_MILLISECONDS;
  return [{ container: undefined, cause: 'workload-failed', words, since: scheduledAt, patience }];
}

function succeededAt(object: JsonObject, { kind }: NamedObject): number | undefined {
  if (kind === 'CronJob') return instantOf(objectMember(object, 'status') ?? {}, 'lastSuccessfulTime');
  return kind === 'Job' && numberAt(object, 'status', 'succeeded') > 0 ? Infinity : undefined;
}

/** The objects that a controller makes on the way to Pods: events about a refused Pod name them. */
const MADE: Readonly<Record<string, string>> = { Deployment: 'ReplicaSet', Rollout: 'ReplicaSet', CronJob: 'Job' };

/** The kind of the objects between a workload and its Pods. */
export function kindMadeBy({ kind }: NamedObject): string | undefined {
  return MADE[kind];
}

/**
 * Why the Pods of a workload are not there.
 *
 * @param warnings about the workload and the objects that it has made, the latest first
 * @param failing what else is told of the workload
 * @param firstUnready the first of its Pods, in their order, that is not Ready
 */
export function workloadWaits(
  state: WorkloadState,
  warnings: readonly Warning[],
  failing: readonly Pick<Failure, 'cause'>[],
  firstUnready: string | undefined,
): Wait[] {
  const { waits, lacking, hasNone, isOrdered, since } = state;
  const known = new Set([...failing, ...waits].map(({ cause }) => cause));
  // A rollout that is late waits for the Pods that fail.
  const own = waits.filter(({ reason }) => reason !== 'ProgressDeadlineExceeded' || failing.length === 0);
  if (lacking === 0 || known.has('pods-not-created')) return own;
  const missing = { container: undefined, cause: 'pods-not-created' } as const;
  const refused = warnings.find(({ reason }) => reason === 'FailedCreate');
  if (refused !== undefined) {
    const { reason, words, at } = refused;
    return [...own, { ...missing, reason, words, since: at, patience: AT_ONCE }];
  }
  if (isOrdered && firstUnready !== undefined && failing.length > 0) {
    const words = `it waits for the Pod ${firstUnready}`;
    return [...own, { container: undefined, cause: 'pods-in-order', words, since: 0, patience: AT_ONCE }];
  }
  if (!hasNone) return own;
  const [last] = warnings;
  const told = { reason: last?.reason, words: last?.words ?? 'no controller has said why' };
  return [...own, { ...missing, ...told, since, patience: SILENT_MILLISECONDS }];
}
