import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { MERGE_PATCH, type ApiRequests } from '../client/api-client.ts';
import { writeFailure } from '../client/write-failure.ts';
import { Reconciler, type Setback } from '../reconcile.ts';
import type { InformerContext } from './informer.ts';

export interface StatusListener {
  /** No status can be written, or statuses can be written again (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
  /** The status of one object cannot be written; others can. Reported once for each reason. */
  readonly setAside: (place: string, reason: SetAsideReason, problem: string) => void;
}

/** A status that may have to be written. The key is the place of the object: `ProbePolicy/apps/web`. */
export interface StatusTask {
  readonly key: string;
  /** The object's resourceVersion, which every change of the object changes. */
  readonly resourceVersion?: string | undefined;
  /** Writes what the status should say by now. */
  readonly write: (signal: AbortSignal) => Promise<unknown>;
}

/** Why a status cannot be written although others can. `not-kept`: the API server drops part of it. */
const SET_ASIDE_REASONS = ['too-large', 'refused', 'gone', 'failed', 'not-kept'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** The last failures of one object. */
interface Aside {
  /** Since the last change of the object. */
  failures: number;
  /** The resourceVersion to which the failure applies. */
  version: string | undefined;
  /** The reason that was reported. */
  reason: SetAsideReason | undefined;
}

const PAUSES = {
  /** Short, because one object may cause an answer as of an API server that is not available. */
  all: { minimum: 1000, maximum: 15_000 },
  /** The pauses of one object. Tenants may have thousands of objects whose status cannot be written. */
  lane: { minimum: 1000, maximum: 3_600_000 },
};
/** After an upgrade every object may need a new status, and the API server has other work, too. */
const CONCURRENCY = 4;
/** An object that fails less often is not reported: so many failures take 15 s, and an election in etcd takes less. */
const FAILURES_REPORTED = 5;

/** Writes the statuses of objects of one kind. An object whose status cannot be written pauses alone. */
export class ObjectStatuses {
  readonly #listener: StatusListener;
  readonly #queue: Reconciler<StatusTask>;
  readonly #problem = new CurrentProblem();
  readonly #asides = new Map<string, Aside>();

  constructor(listener: StatusListener, { random, timer }: Pick<InformerContext, 'random' | 'timer'>) {
    this.#listener = listener;
    this.#queue = new Reconciler<StatusTask>({
      write: ({ write }, signal) => write(signal),
      succeeded: ({ key }) => {
        this.#asides.delete(key);
        this.#report(undefined);
      },
      failed: (task, error) => this.#failed(task, error),
      pauses: PAUSES,
      concurrency: CONCURRENCY,
      random,
      timer,
    });
  }

  setActive(isActive: boolean): void {
    this.#queue.setActive(isActive);
    if (!isActive) this.#asides.clear();
  }

  /** The number of objects whose status cannot be written. */
  setAside(): Readonly<Record<SetAsideReason, number>> {
    const counts = Object.fromEntries(SET_ASIDE_REASONS.map((reason) => [reason, 0])) as Record<SetAsideReason, number>;
    for (const { reason } of this.#asides.values()) if (reason !== undefined) counts[reason]++;
    return counts;
  }

  put(task: StatusTask): void {
    this.#queue.put(task);
    const aside = this.#asides.get(task.key);
    // A change cuts the pause short. The next change does not, so an object that changes all the time is tried, too.
    if (aside === undefined || aside.failures === 0 || aside.version === task.resourceVersion) return;
    aside.failures = 0;
    this.#queue.hasten(task);
  }

  drop(key: string): void {
    this.#queue.drop({ key });
    this.#asides.delete(key);
  }

  #failed({ key, resourceVersion: version }: StatusTask, error: unknown): Setback {
    if (error instanceof NotKept) {
      this.#report(undefined);
      return this.#putAside(key, 'not-kept', error.message, error.resourceVersion);
    }
    const failure = writeFailure(error);
    if (failure === 'unavailable') {
      this.#report(messageOf(error));
      return { pauses: 'all', isForLater: true };
    }
    if (failure !== 'changed') return this.#putAside(key, failure, messageOf(error), version);
    // The watch is about to report the change.
    this.#asides.delete(key);
    return { pauses: 'nobody', isForLater: false };
  }

  #putAside(key: string, reason: SetAsideReason, problem: string, version: string | undefined): Setback {
    const aside = this.#asides.get(key) ?? { failures: 0, version, reason: undefined };
    this.#asides.set(key, aside);
    aside.failures += 1;
    aside.version = version;
    const isTold = aside.reason === reason || (reason === 'failed' && aside.failures < FAILURES_REPORTED);
    if (!isTold) {
      aside.reason = reason;
      this.#listener.setAside(key, reason, problem);
    }
    return { pauses: 'lane', isForLater: true };
  }

  #report(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'began' || news === 'ended') this.#listener.troubled(problem);
  }
}

/** The API server has taken a status, and does not keep all of it. */
export class NotKept extends Error {
  /** The object's resourceVersion after the write. */
  readonly resourceVersion: string | undefined;

  constructor(resourceVersion: string | undefined) {
    super('the API server does not keep all of the status: is the CRD older than we are?');
    this.resourceVersion = resourceVersion;
  }
}

/** Resolves with the object after the patch. */
export function patchStatus(
  client: ApiRequests,
  object: string,
  fieldManager: string,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  const path = `${object}/status`;
  return client.request({ method: 'PATCH', path, query: { fieldManager }, contentType: MERGE_PATCH, body, signal });
}

export interface Condition extends Readonly<Record<'type' | 'reason' | 'message', string>> {
  readonly status: 'True' | 'False';
}

/** A condition as it is written. It keeps its time while its status is the same. */
export function updatedCondition(
  before: readonly Readonly<Record<string, unknown>>[],
  condition: Condition,
  observedGeneration: unknown,
  now: string,
): Readonly<Record<string, unknown>> {
  const old = before.find(({ type }) => type === condition.type);
  const since = old?.['status'] === condition.status ? old['lastTransitionTime'] : undefined;
  return { ...condition, observedGeneration, lastTransitionTime: typeof since === 'string' ? since : now };
}
