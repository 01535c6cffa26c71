import { setImmediate } from 'node:timers/promises';
import { ApiError, isUnavailable, MERGE_PATCH, type ApiRequests } from '../client/api-client.ts';
import { Backoff, realTimer, type Timer } from '../client/timing.ts';
import type { InformerContext } from './informer.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';

export interface StatusWriterListener {
  /** No status can be written, or statuses can be written again (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
  /** The status of one object cannot be written; others can. Reported once for each reason. */
  readonly setAside: (place: string, reason: SetAsideReason, problem: string) => void;
}

export interface StatusTask {
  readonly place: string;
  /** The object's resourceVersion, which every change of the object changes. */
  readonly resourceVersion: string | undefined;
  /** Writes what the status should say by now. Undefined when there was nothing to write. */
  readonly write: (signal: AbortSignal) => Promise<WrittenStatus | undefined>;
}

export interface WrittenStatus {
  readonly isKept: boolean;
  readonly resourceVersion: string | undefined;
}

/** Why a status cannot be written although others can. `not-kept`: the API server drops part of it. */
const SET_ASIDE_REASONS = ['too-large', 'refused', 'gone', 'failed', 'not-kept'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** The task of one object, and what became of its last attempts. */
interface Item {
  task: StatusTask;
  readonly backoff: Backoff;
  /** Since the last success or change of the object. */
  failures: number;
  /** The object's resourceVersion to which the failure applies. */
  failedVersion: string | undefined;
  reason: SetAsideReason | undefined;
  endPause: (() => void) | undefined;
}

const NO_FAILURE = { failures: 0, failedVersion: undefined, reason: undefined, endPause: undefined };

/** Short, because one object may cause an answer as of an API server that is not available. */
const RETRY = { minimum: 1000, maximum: 15_000 };
/** The pauses of one object. Tenants may have thousands of objects whose status cannot be written. */
const RETRY_OBJECT = { minimum: 1000, maximum: 3_600_000 };
/** After an upgrade every object may need a new status, and the API server has other work, too. */
const CONCURRENCY = 4;
/** An object that fails less often is not reported: so many failures take 15 s, and an election in etcd takes less. */
const FAILURES_REPORTED = 5;

/**
 * A queue that writes a few statuses at a time. An object whose status cannot be written is tried again with growing
 * pauses and delays no other. Nothing is kept while the writer is not active.
 */
export class StatusWriter {
  readonly #listener: StatusWriterListener;
  readonly #random: () => number;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  readonly #problem = new CurrentProblem();
  /** By place: all that wait, pause or are under way. */
  readonly #items = new Map<string, Item>();
  readonly #waiting = new Set<Item>();
  #underWay = 0;
  #term: AbortController | undefined;
  #endPause: (() => void) | undefined;

  constructor(
    listener: StatusWriterListener,
    { random, timer = realTimer }: Pick<InformerContext, 'random' | 'timer'>,
  ) {
    this.#listener = listener;
    this.#random = random;
    this.#timer = timer;
    this.#backoff = new Backoff(RETRY, random);
  }

  setActive(isActive: boolean): void {
    if (isActive === (this.#term !== undefined)) return;
    this.#term?.abort();
    this.#term = isActive ? new AbortController() : undefined;
    this.#endPause?.();
    this.#endPause = undefined;
    this.#backoff.reset();
    for (const place of [...this.#items.keys()]) this.drop(place);
    this.#underWay = 0;
  }

  setAside(): Readonly<Record<SetAsideReason, number>> {
    const counts = Object.fromEntries(SET_ASIDE_REASONS.map((reason) => [reason, 0])) as Record<SetAsideReason, number>;
    for (const { reason } of this.#items.values()) if (reason !== undefined) counts[reason]++;
    return counts;
  }

  /** Writes a status, after those that wait. The task replaces an earlier one of the same object. */
  put(task: StatusTask): void {
    if (this.#term === undefined) return;
    const item = this.#items.get(task.place);
    if (item === undefined) {
      const created = { task, backoff: new Backoff(RETRY_OBJECT, this.#random), ...NO_FAILURE };
      this.#items.set(task.place, created);
      return this.#queue(created);
    }
    item.task = task;
    // A change cuts the pause short. The next change does not, so an object that changes all the time is tried, too.
    if (item.endPause === undefined || item.failures === 0 || task.resourceVersion === item.failedVersion) return;
    item.endPause();
    item.failures = 0;
    item.backoff.reset();
    this.#pause(item);
  }

  drop(place: string): void {
    const item = this.#items.get(place);
    if (item === undefined) return;
    item.endPause?.();
    this.#waiting.delete(item);
    this.#items.delete(place);
  }

  #queue(item: Item): void {
    this.#waiting.add(item);
    this.#writeSome();
  }

  #writeSome(): void {
    const term = this.#term;
    for (const item of this.#waiting) {
      if (term === undefined || this.#endPause !== undefined || this.#underWay >= CONCURRENCY) return;
      this.#waiting.delete(item);
      this.#underWay += 1;
      void this.#write(item, term.signal).then(() => {
        if (term.signal.aborted) return;
        this.#underWay -= 1;
        this.#writeSome();
      });
    }
  }

  async #write(item: Item, signal: AbortSignal): Promise<void> {
    // To find out what a status should say takes time, and thousands may have nothing to write.
    await setImmediate();
    const { task } = item;
    const isOver = (): boolean => signal.aborted || this.#items.get(task.place) !== item;
    try {
      const written = isOver() ? undefined : await task.write(signal);
      if (isOver()) return;
      this.#backoff.reset();
      this.#report(undefined);
      if (written?.isKept === false) return this.#fail(item, 'not-kept', NOT_KEPT, written.resourceVersion);
      if (item.task === task) return void this.#items.delete(task.place);
      // The task was replaced during its write.
      Object.assign(item, NO_FAILURE);
      item.backoff.reset();
      this.#waiting.add(item);
    } catch (error) {
      if (isOver()) return;
      const failure = statusWriteFailure(error);
      // After a change, the watch is about to report it.
      if (failure === 'changed' && item.task === task) this.#items.delete(task.place);
      else if (failure === 'changed') this.#waiting.add(item);
      else if (failure === 'unavailable') this.#pauseAll(item, messageOf(error));
      else this.#fail(item, failure, messageOf(error), task.resourceVersion);
    }
  }

  #pauseAll(item: Item, problem: string): void {
    this.#report(problem);
    this.#waiting.add(item);
    this.#endPause ??= this.#timer(this.#backoff.next(), () => {
      this.#endPause = undefined;
      this.#writeSome();
    });
  }

  #fail(item: Item, reason: SetAsideReason, problem: string, version: string | undefined): void {
    item.failures += 1;
    item.failedVersion = version;
    this.#pause(item);
    if ((reason === 'failed' && item.failures < FAILURES_REPORTED) || item.reason === reason) return;
    item.reason = reason;
    this.#listener.setAside(item.task.place, reason, problem);
  }

  #pause(item: Item): void {
    item.endPause = this.#timer(item.backoff.next(), () => {
      item.endPause = undefined;
      this.#queue(item);
    });
  }

  #report(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'began' || news === 'ended') this.#listener.troubled(problem);
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

const NOT_KEPT = 'the API server does not keep all of the status: is the CRD older than we are?';

/**
 * The meaning of a failed write. - `unavailable`: no write would succeed now. - `changed`: the watch is about to
 * report a change of the object. - `gone`: no such object, or it has no status subresource. - `refused`: the same
 * write would be refused again. - `failed`: the cause may be the object or the server.
 */
export type StatusWriteFailure = Exclude<SetAsideReason, 'not-kept'> | 'unavailable' | 'changed';

const GONE: readonly number[] = [404, 410];
/** Messages of etcd and its client about objects over 1.5 MiB and 2 MiB. The API server answers them with HTTP 500. */
const TOO_LARGE = /request is too large|larger than max/;
/** The API server's message when an admission webhook rejects an object, mostly with HTTP 403. */
const REJECTED = /admission webhook "[^"]*" denied the request/;

export function statusWriteFailure(error: unknown): StatusWriteFailure {
  if (!(error instanceof ApiError) || isUnavailable(error)) return 'unavailable';
  const { code, message } = error;
  if (code === 403) return REJECTED.test(message) ? 'refused' : 'unavailable';
  if (GONE.includes(code)) return 'gone';
  if (code === 409) return 'changed';
  if (code === 413 || TOO_LARGE.test(message)) return 'too-large';
  return code >= 400 && code < 500 ? 'refused' : 'failed';
}
