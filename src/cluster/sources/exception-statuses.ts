import { textAt } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { exceptionSource } from '../../engine/facts/facts.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { hasCode, type ApiRequests } from '../client/api-client.ts';
import { repeat } from '../client/timing.ts';
import {
  exceptionStatus,
  isReported,
  isReportedAs,
  leftOutStatus,
  rulesOf,
  type LeftOutException,
} from './exception-status.ts';
import { reportedStatus } from './fact-kinds.ts';
import { patchStatus, type ObjectStatuses } from './object-statuses.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { Named } from './object-store.ts';
import type { LeftOut } from './left-out-objects.ts';

export interface ExceptionStatusDependencies {
  readonly client: ApiRequests;
  /** Active on each replica, as each replica writes its matches. */
  readonly writer: ObjectStatuses;
  readonly snapshot: () => Snapshot | undefined;
  readonly now: () => number;
}

const PASS_MILLISECONDS = 30_000;
/** Each replica adds its matches to an exception at most once in this time. */
const MATCHES_MILLISECONDS = 3_600_000;
const MOST_QUEUED = 1000;
/** At most this many exceptions have matches that wait for a write. Matches of others are not counted. */
const MOST_PENDING = 10_000;

/** Matches of one exception that its status lacks. */
interface Matches {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly last: number;
}

/**
 * Decides which statuses of ProbeExceptions are written. The leader writes states and conditions. Each replica adds
 * the matches that it has seen: the first at once, later ones at most once an hour for an exception.
 */
export class ExceptionStatuses {
  readonly #dependencies: ExceptionStatusDependencies;
  readonly #pending = new Map<string, Matches>();
  readonly #written = new Map<string, number>();
  readonly #stopped = new AbortController();
  #isLeader = false;

  constructor(dependencies: ExceptionStatusDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#dependencies.writer.setActive(true);
    void repeat(PASS_MILLISECONDS, this.#stopped.signal, () => this.pass());
  }

  stop(): void {
    this.#stopped.abort();
    this.#dependencies.writer.setActive(false);
  }

  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
  }

  matched(namespace: string, name: string, now: number): void {
    const key = exceptionSource(namespace, name);
    const known = this.#pending.get(key);
    if (known === undefined && this.#pending.size >= MOST_PENDING) return;
    this.#pending.set(key, { namespace, name, count: (known?.count ?? 0) + 1, last: now });
  }

  leftOut({ namespace, name, reason, problem, object, entry }: LeftOut<Named>): void {
    const state = reason === 'invalid' ? 'Invalid' : 'OverBudget';
    const reported = object === undefined ? (entry as ProbeException | undefined) : reportedStatus(object);
    if (this.#isLeader && !isReportedAs(reported, state, false)) this.#put(namespace, name, { state, problem });
  }

  gone(namespace: string, name: string): void {
    this.#dependencies.writer.drop(exceptionSource(namespace, name));
  }

  pass(): void {
    const now = this.#dependencies.now();
    for (const [key, written] of this.#written)
      if (Math.abs(now - written) >= MATCHES_MILLISECONDS) this.#written.delete(key);
    for (const [key, { namespace, name }] of this.#pending) if (!this.#written.has(key)) this.#put(namespace, name);
    const snapshot = this.#dependencies.snapshot();
    if (!this.#isLeader || snapshot === undefined) return;
    let queued = 0;
    for (const [namespace, exceptions] of snapshot.facts.exceptions.lists) {
      const rules = rulesOf(snapshot, namespace);
      for (const exception of exceptions) {
        if (isReported(exception, rules, now)) continue;
        this.#put(namespace, exception.name);
        if (++queued >= MOST_QUEUED) return;
      }
    }
  }

  #put(namespace: string, name: string, left?: LeftOutException): void {
    const write = (signal: AbortSignal): Promise<void> => this.#write(namespace, name, left, signal);
    this.#dependencies.writer.put({ key: exceptionSource(namespace, name), write });
  }

  async #write(
    namespace: string,
    name: string,
    left: LeftOutException | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, snapshot, now } = this.#dependencies;
    const collection = `/apis/${POLICY_API_VERSION}/namespaces/${encodeURIComponent(namespace)}/probeexceptions`;
    const path = `${collection}/${encodeURIComponent(name)}`;
    const key = exceptionSource(namespace, name);
    const object = await client.request({ method: 'GET', path, signal }).catch((error: unknown) => {
      if (!hasCode(error, 404)) throw error;
      // An exception of a file, or one that is gone.
      this.#pending.delete(key);
    });
    const current = snapshot();
    const resourceVersion = textAt(object, 'metadata', 'resourceVersion');
    if (!isJsonObject(object) || resourceVersion === undefined || current === undefined) return;
    const patch = (status: object): Promise<unknown> =>
      patchStatus(client, path, 'probewright', { metadata: { resourceVersion }, status }, signal);
    const exception = current.facts.exceptions.ofNamespace(namespace).find((known) => known.name === name);
    if (exception === undefined) {
      this.#pending.delete(key);
      if (left !== undefined && this.#isLeader) await patch(leftOutStatus(object, left, now()));
      return;
    }
    const { count, last } = this.#pending.get(key) ?? { count: 0, last: undefined };
    const news = { now: now(), count, last, writesState: this.#isLeader };
    await patch(exceptionStatus(object, exception, rulesOf(current, namespace), news));
    // Matches may have been noted during the write.
    const matches = this.#pending.get(key);
    if (last === undefined || matches === undefined) return;
    this.#written.set(key, news.now);
    if (matches.count === count) this.#pending.delete(key);
    else this.#pending.set(key, { ...matches, count: matches.count - count });
  }
}
