import { Backoff } from '../client/backoff.ts';
import { MERGE_PATCH } from '../client/api-client.ts';
import { isRecord } from '../client/kubernetes-object.ts';
import { realTimer } from '../client/timer.ts';
import { POLICY_API_VERSION } from '../../engine/policy/api-version.ts';
import { exceptionRules } from '../../engine/policy/exception-rules.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { EXCEPTION_STATES, exceptionState } from '../../engine/policy/exception-state.ts';
import {
  exceptionStatus,
  isLeftOutReported,
  isReported,
  leftOutStatus,
  reportedLastMatch,
} from './exception-status.ts';
import { statusWriteFailure } from './status-write-failure.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { Timer } from '../client/timer.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ExceptionState } from '../../engine/policy/exception-state.ts';
import type { ExceptionRules } from '../../engine/policy/exception-rules.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { LeftOutObject } from './fact-reports.ts';
import type { LeftOutFact } from './left-out-fact.ts';

/** The dependencies of the statuses of exceptions. */
export interface ExceptionStatusDependencies {
  readonly client: ApiClient;
  /** The snapshot in force. */
  readonly snapshot: () => Snapshot | undefined;
  /** Exceptions that have no effect, because of a budget or because they cannot be read. */
  readonly leftOut?: () => Iterable<LeftOutObject>;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly timer?: Timer;
  /** Statuses cannot be written, or can be written again (undefined). Reported once. */
  readonly troubled: (problem: string | undefined) => void;
}

/** How often statuses are compared with what they should be. */
const PASS_MILLISECONDS = 30_000;
/** Each replica adds its matches to an exception at most once in this time. */
const MATCHES_MILLISECONDS = 3_600_000;
/** At most this many statuses are written in a pass: 2 a second. */
const MOST_WRITES = 60;
/** At most this many of them in one namespace, so that a namespace with thousands delays no other. */
const MOST_WRITES_A_NAMESPACE = 15;
/** The pauses of an exception whose status cannot be written, for example because the object is too large. */
const RETRY_OBJECT = { minimum: 60_000, maximum: 3_600_000 };
/** At most this many exceptions have matches that wait for a write. Matches of others are not counted. */
const MOST_PENDING = 10_000;

/** Matches of one exception that its status lacks. */
interface Matches {
  readonly namespace: string;
  readonly name: string;
  count: number;
  /** In milliseconds since the epoch. */
  last: number;
}

/**
 * Writes the statuses of ProbeExceptions, few at a time. The leader writes states and conditions. Each replica adds the
 * matches that the replica has seen. The first match is added at once, later matches at most once an hour for an
 * exception.
 */
export class ExceptionStatuses {
  readonly #dependencies: ExceptionStatusDependencies;
  readonly #pending = new Map<string, Matches>();
  /** When matches were last written, by exception. */
  readonly #written = new Map<string, number>();
  /** Exceptions whose status could not be written. */
  readonly #paused = new Map<string, { readonly backoff: Backoff; until: number }>();
  /** The namespace that a pass begins with. */
  #next: string | undefined;
  #isLeader = false;
  #isStopped = false;
  #isInTrouble = false;
  #callOff: (() => void) | undefined;

  constructor(dependencies: ExceptionStatusDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    const timer = this.#dependencies.timer ?? realTimer;
    this.#callOff = timer(PASS_MILLISECONDS, () => {
      void this.pass().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#callOff?.();
  }

  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
  }

  /** Notes that an exception has allowed a violation of a request. */
  matched(namespace: string, name: string, now: number): void {
    const key = `${namespace}/${name}`;
    const known = this.#pending.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.last = now;
    } else if (this.#pending.size < MOST_PENDING) this.#pending.set(key, { namespace, name, count: 1, last: now });
  }

  /** Writes some statuses. Never rejects. */
  async pass(): Promise<void> {
    const now = this.#dependencies.now();
    // A clock that was set back must not prolong a pause.
    for (const [key, { until }] of this.#paused)
      if (Math.abs(now - until) > RETRY_OBJECT.maximum) this.#paused.delete(key);
    for (const { namespace, name } of this.#due(now)) {
      if (this.#isStopped) return;
      const key = `${namespace}/${name}`;
      try {
        await this.#write(namespace, name, now);
        this.#paused.delete(key);
        this.#report(undefined);
      } catch (error) {
        const failure = statusWriteFailure(error);
        if (failure === 'unavailable') return this.#report(messageOf(error));
        // Another writer was faster, or the object is gone: the next pass sees what there is then.
        if (failure === 'gone') this.#pending.delete(key);
        else if (failure !== 'changed') this.#pause(key, now);
      }
    }
  }

  /** A status that cannot be written delays no other status. */
  #pause(key: string, now: number): void {
    const paused = this.#paused.get(key) ?? { backoff: new Backoff(RETRY_OBJECT, Math.random), until: 0 };
    paused.until = now + paused.backoff.next();
    this.#paused.set(key, paused);
  }

  /** The exceptions to write in this pass. */
  #due(now: number): readonly { readonly namespace: string; readonly name: string }[] {
    const due = new Map<string, { namespace: string; name: string }>();
    const isPaused = (key: string): boolean => (this.#paused.get(key)?.until ?? 0) > now;
    for (const [key, written] of this.#written)
      if (Math.abs(now - written) >= MATCHES_MILLISECONDS) this.#written.delete(key);
    for (const [key, matches] of this.#pending) {
      if (due.size >= MOST_WRITES) break;
      if (!this.#written.has(key) && !isPaused(key)) due.set(key, matches);
    }
    const snapshot = this.#dependencies.snapshot();
    if (!this.#isLeader || snapshot === undefined) return [...due.values()];
    for (const [namespace, exceptions] of this.#inTurn(snapshot)) {
      const rules = rulesOf(snapshot, namespace);
      let left = MOST_WRITES_A_NAMESPACE;
      for (const exception of exceptions) {
        if (left === 0) break;
        const key = `${namespace}/${exception.name}`;
        if (due.has(key) || isPaused(key) || isReported(exception, rules, now)) continue;
        if (due.size >= MOST_WRITES) {
          this.#next = namespace;
          return [...due.values()];
        }
        due.set(key, { namespace, name: exception.name });
        left -= 1;
      }
    }
    this.#next = undefined;
    this.#addLeftOut(due, isPaused);
    return [...due.values()];
  }

  /** Exceptions that are left out come last: those in force matter more. */
  #addLeftOut(due: Map<string, { namespace: string; name: string }>, isPaused: (key: string) => boolean): void {
    const counts = new Map<string, number>();
    for (const { namespace, fact } of this.#dependencies.leftOut?.() ?? []) {
      if (due.size >= MOST_WRITES) return;
      const key = `${namespace}/${fact.name}`;
      const count = counts.get(namespace) ?? 0;
      if (count >= MOST_WRITES_A_NAMESPACE || isPaused(key) || isLeftOutReported(fact)) continue;
      counts.set(namespace, count + 1);
      due.set(key, { namespace, name: fact.name });
    }
  }

  /** The namespaces with exceptions, first the one at which the last pass was full. */
  #inTurn({ facts }: Snapshot): (readonly [string, readonly ProbeException[]])[] {
    const all = [...facts.exceptions.byNamespace];
    const first = Math.max(
      0,
      all.findIndex(([namespace]) => namespace === this.#next),
    );
    return [...all.slice(first), ...all.slice(0, first)];
  }

  async #write(namespace: string, name: string, now: number): Promise<void> {
    const { client, snapshot } = this.#dependencies;
    const path = `/apis/${POLICY_API_VERSION}/namespaces/${encodeURIComponent(namespace)}/probeexceptions/${encodeURIComponent(name)}`;
    const object = await client.request({ method: 'GET', path });
    const current = snapshot();
    const exception = current?.facts.exceptions.ofNamespace(namespace).find((known) => known.name === name);
    const key = `${namespace}/${name}`;
    if (!isRecord(object) || !isRecord(object['metadata']) || current === undefined) return;
    const { resourceVersion } = object['metadata'];
    const patch = (status: object): Promise<unknown> =>
      client.request({
        method: 'PATCH',
        path: `${path}/status`,
        query: { fieldManager: 'probewright' },
        contentType: MERGE_PATCH,
        body: { metadata: { resourceVersion }, status },
      });
    if (exception === undefined) {
      this.#pending.delete(key);
      const fact = this.#isLeader ? this.#leftOut(namespace, name) : undefined;
      if (fact !== undefined) await patch(leftOutStatus(object, fact, now));
      return;
    }
    const matches = this.#pending.get(key);
    const { count, last } = matches ?? { count: 0, last: undefined };
    const writesState = this.#isLeader;
    await patch(exceptionStatus(object, exception, rulesOf(current, namespace), { now, count, last, writesState }));
    if (matches === undefined) return;
    this.#written.set(key, now);
    // Matches may have been noted during the write.
    matches.count -= count;
    if (matches.count === 0) this.#pending.delete(key);
  }

  #leftOut(namespace: string, name: string): LeftOutFact | undefined {
    for (const one of this.#dependencies.leftOut?.() ?? [])
      if (one.namespace === namespace && one.fact.name === name) return one.fact;
    return undefined;
  }

  #report(problem: string | undefined): void {
    if (this.#isInTrouble === (problem !== undefined)) return;
    this.#isInTrouble = problem !== undefined;
    this.#dependencies.troubled(problem);
  }
}

/** The rules for the exceptions of a namespace, without policies for single workloads. */
function rulesOf(snapshot: Snapshot, namespace: string): ExceptionRules {
  const { layers } = snapshot.policyFor(namespace, new Map());
  return exceptionRules(layers.filter(({ workloadSelector }) => workloadSelector === undefined));
}

/** The number of exceptions in each state. Files count too. */
export function exceptionCounts(snapshot: Snapshot | undefined, now: number): Readonly<Record<ExceptionState, number>> {
  const counts = Object.fromEntries(EXCEPTION_STATES.map((state) => [state, 0])) as Record<ExceptionState, number>;
  if (snapshot === undefined) return counts;
  for (const [namespace, exceptions] of snapshot.facts.exceptions.byNamespace) {
    const rules = rulesOf(snapshot, namespace);
    for (const exception of exceptions)
      counts[exceptionState(exception, rules, reportedLastMatch(exception), now)] += 1;
  }
  return counts;
}
