import { JSON_PATCH, MERGE_PATCH } from '../client/api-client.ts';
import { Backoff } from '../client/backoff.ts';
import { isRecord } from '../client/kubernetes-object.ts';
import { realTimer } from '../client/timer.ts';
import { CurrentProblem } from '../../base/text/current-problem.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { objectPath } from './policy-reference.ts';
import { isShown, shownStatus, statusPatch } from './policy-status.ts';
import { isCoveredBy, StaleStatuses } from './stale-statuses.ts';
import { statusWriteFailure } from './status-write-failure.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { ClockRandomAndTimer } from '../client/clock-and-random.ts';
import type { Timer } from '../client/timer.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { ShownStatus, StaleStatus, StatusPatch } from './policy-status.ts';
import type { Aside, SetAsideReason, StaleItem } from './stale-statuses.ts';
import type { StatusWriteFailure } from './status-write-failure.ts';

/** The reports of a writer. */
export interface StatusWriterListener {
  /** No status can be written, or statuses can be written again (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
  /**
   * The status of one policy cannot be written as it should be; others can. Reported once for each reason, until the
   * status is written.
   *
   * @param place the policy, as `ProbePolicy/apps/web`
   */
  readonly setAside: (place: string, reason: SetAsideReason, problem: string) => void;
}

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';
/**
 * The pauses of all writes while the API server is not available: short, because a single object may cause such an
 * answer.
 */
const RETRY = { minimum: 1000, maximum: 15_000 };
/** An object that fails less often is not reported: so many failures take 15 s, and an election in etcd takes less. */
const FAILURES_REPORTED = 5;

const CONTENT_TYPES: Readonly<Record<StatusPatch['type'], string>> = { merge: MERGE_PATCH, json: JSON_PATCH };

/**
 * Writes into the status of policies what became of them, on the one replica that leads. Every event reports which
 * statuses are stale; an event that the writer's own write causes reports nothing, so writing comes to an end.
 */
export class PolicyStatusWriter {
  readonly #client: ApiClient;
  readonly #listener: StatusWriterListener;
  readonly #now: () => number;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  readonly #statuses: StaleStatuses;
  /** Aborted at the end of leading; undefined while this replica does not lead. */
  #term: AbortController | undefined;
  /** Ends the pause of all writes. */
  #endPause: (() => void) | undefined;
  readonly #problem = new CurrentProblem();

  constructor(client: ApiClient, listener: StatusWriterListener, clock: ClockRandomAndTimer) {
    this.#client = client;
    this.#listener = listener;
    this.#now = clock.now;
    this.#timer = clock.timer ?? realTimer;
    this.#backoff = new Backoff(RETRY, clock.random);
    this.#statuses = new StaleStatuses(this.#timer, clock.random, () => this.#writeSome());
  }

  /** Whether this replica is the one that writes. A new term tries everything again. */
  lead(isLeader: boolean): void {
    if (isLeader === (this.#term !== undefined)) return;
    this.#term?.abort();
    this.#term = isLeader ? new AbortController() : undefined;
    this.#endPause?.();
    this.#endPause = undefined;
    this.#backoff.reset();
    this.#statuses.retryAll();
    this.#writeSome();
  }

  stop(): void {
    this.lead(false);
  }

  /** How many statuses cannot be written as they should be, by reason. All are 0 on replicas that do not lead. */
  setAside(): Readonly<Record<SetAsideReason, number>> {
    return this.#statuses.setAside();
  }

  /** @param stale undefined when the status is as it should be, or the policy is gone */
  update(policy: PolicyReference, stale: StaleStatus | undefined): void {
    this.#statuses.update(policy, stale);
    this.#writeSome();
  }

  #writeSome(): void {
    const term = this.#term;
    if (term === undefined || this.#endPause !== undefined) return;
    for (let item = this.#statuses.take(); item !== undefined; item = this.#statuses.take())
      void this.#write(item, term.signal);
  }

  async #write(item: StaleItem, signal: AbortSignal): Promise<void> {
    const { place, stale } = item;
    let outcome: () => void;
    try {
      const object = await this.#send(item.policy, statusPatch(stale.shown, stale.verdict, this.#now()), signal);
      outcome = () => this.#written(item, stale, object);
    } catch (error) {
      outcome = await this.#failure(item, stale, error, signal);
    }
    this.#statuses.finish(item);
    // After the term, the write is left to the replica that leads then.
    if (signal.aborted) this.#statuses.requeue(item);
    else if (this.#statuses.at(place) === item) outcome();
    // The object was deleted meanwhile, and perhaps created again.
    else this.#statuses.requeue(this.#statuses.at(place));
    this.#writeSome();
  }

  /** Reacts to a failure. A status without room is first written again without the last good version. */
  async #failure(item: StaleItem, stale: StaleStatus, error: unknown, signal: AbortSignal): Promise<() => void> {
    const failure = statusWriteFailure(error);
    const patch = statusPatch(stale.shown, stale.verdict, this.#now());
    if ((failure !== 'too-large' && failure !== 'refused') || patch?.type !== 'json')
      return () => this.#fail(item, stale, failure, error);
    const problem = `the last good version does not fit: ${messageOf(error)}`;
    try {
      const object = await this.#send(
        item.policy,
        statusPatch(stale.shown, stale.verdict, this.#now(), 'without last good'),
        signal,
      );
      return () =>
        this.#putAside(item, 'no-last-good', problem, { stale, version: versionOf(object) ?? stale.version });
    } catch (second) {
      return () => this.#fail(item, stale, statusWriteFailure(second), second);
    }
  }

  /** Resolves with the object that the API server has then; undefined when there was nothing to write. */
  async #send(policy: PolicyReference, patch: StatusPatch | undefined, signal: AbortSignal): Promise<unknown> {
    if (patch === undefined) return undefined;
    return this.#client.request({
      method: 'PATCH',
      path: `${objectPath(policy)}/status`,
      query: { fieldManager: FIELD_MANAGER },
      contentType: CONTENT_TYPES[patch.type],
      body: patch.body,
      signal,
    });
  }

  /** @param object as the API server has it now */
  #written(item: StaleItem, stale: StaleStatus, object: unknown): void {
    this.#backoff.reset();
    this.#report(undefined);
    const shown = object === undefined ? item.stale.shown : shownIn(object);
    if (isShown(shown, item.stale.verdict)) return this.#statuses.drop(item);
    if (item.stale === stale) {
      const problem = 'the API server does not keep all of the status: is the CRD older than we are?';
      return this.#putAside(item, 'not-kept', problem, { stale, version: versionOf(object) });
    }
    item.stale = { ...item.stale, shown };
    this.#statuses.queue(item);
  }

  #fail(item: StaleItem, stale: StaleStatus, failure: StatusWriteFailure, error: unknown): void {
    const problem = messageOf(error);
    if (failure === 'unavailable') {
      this.#report(problem);
      this.#statuses.pause(item);
      this.#endPause ??= this.#timer(this.#backoff.next(), () => {
        this.#endPause = undefined;
        this.#writeSome();
      });
    } else if (item.stale !== stale) this.#statuses.queue(item);
    else if (failure === 'changed') this.#statuses.drop(item);
    else if (failure === 'failed') {
      item.failures++;
      if (item.failures >= FAILURES_REPORTED)
        this.#putAside(item, 'failed', problem, { stale, version: stale.version });
      this.#statuses.pause(item);
    } else this.#putAside(item, failure, problem, { stale, version: stale.version });
  }

  #putAside(item: StaleItem, reason: SetAsideReason, problem: string, state: Omit<Aside, 'reason'>): void {
    const aside = { reason, ...state };
    // The object has changed while the write was under way.
    if (item.stale !== state.stale && !isCoveredBy(aside, item.stale)) return this.#statuses.queue(item);
    item.aside = aside;
    if (item.reported === reason) return;
    item.reported = reason;
    this.#listener.setAside(item.place, reason, problem);
  }

  #report(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'began' || news === 'ended') this.#listener.troubled(problem);
  }
}

function shownIn(object: unknown): ShownStatus {
  return shownStatus(isRecord(object) ? object['status'] : undefined);
}

function versionOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}
