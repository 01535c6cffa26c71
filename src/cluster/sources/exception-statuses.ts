import { objectPath } from '../client/api-path.ts';
import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { formatInstant } from '../../base/text/duration.ts';
import { exceptionSource } from '../../engine/facts/facts.ts';
import { PROBE_EXCEPTIONS } from './fact-kinds.ts';
import {
  EXCEPTION_STATES,
  exceptionState,
  isLimited,
  type ExceptionState,
  type LeftOutState,
} from '../../engine/policy/exception-state.ts';
import {
  endOf,
  exceptionRules,
  type ExceptionRules,
  type ProbeException,
  type ReportedStatus,
} from '../../engine/policy/probe-exception.ts';
import { hasCode, type ApiRequests } from '../client/api-client.ts';
import { repeat } from '../client/timing.ts';
import { reportedStatus } from './fact-kinds.ts';
import { patchStatus, updatedCondition, type ObjectStatuses } from './object-statuses.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { LeftOut } from './left-out-objects.ts';
import type { Named } from './object-store.ts';

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
        const state = exceptionState(exception, rules, exception.lastMatched, now);
        if (isReportedAs(exception, state, isLimited(exception, rules))) continue;
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
    const path = objectPath(PROBE_EXCEPTIONS, { namespace, name });
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

/** The rules for the exceptions of a namespace, without policies for single workloads. */
function rulesOf(snapshot: Snapshot, namespace: string): ExceptionRules {
  const { layers } = snapshot.policyFor(namespace, new Map());
  return exceptionRules(layers.filter(({ workloadSelector }) => workloadSelector === undefined));
}

/** The number of exceptions in each state. Files count too. */
export function exceptionCounts(snapshot: Snapshot | undefined, now: number): Readonly<Record<ExceptionState, number>> {
  const counts = Object.fromEntries(EXCEPTION_STATES.map((state) => [state, 0])) as Record<ExceptionState, number>;
  if (snapshot === undefined) return counts;
  for (const [namespace, exceptions] of snapshot.facts.exceptions.lists) {
    const rules = rulesOf(snapshot, namespace);
    for (const exception of exceptions) counts[exceptionState(exception, rules, exception.lastMatched, now)] += 1;
  }
  return counts;
}

/** True if the status says this state of the newest version. */
function isReportedAs(reported: ReportedStatus | undefined, state: string, limited: boolean): boolean {
  return reported?.state === state && reported.isLimited === limited;
}

interface StatusNews {
  readonly now: number;
  readonly count: number;
  readonly last: number | undefined;
  /** True for the leader, who alone writes the state and the conditions. */
  readonly writesState: boolean;
}

/** Returns the fields of the status to write, from the object as the API server has it. */
function exceptionStatus(
  object: JsonObject,
  exception: ProbeException,
  rules: ExceptionRules,
  { now, count, last, writesState }: StatusNews,
): Record<string, unknown> {
  const matches = valueAt(object, ['status', 'matches']);
  const lastMatched = Math.max(reportedStatus(object).lastMatched ?? -Infinity, last ?? -Infinity);
  const written = {
    ...(count > 0 && { matches: (typeof matches === 'number' ? matches : 0) + count }),
    ...(last !== undefined && { lastMatched: formatInstant(Math.floor(lastMatched / 1000) * 1000) }),
  };
  if (!writesState) return written;
  const state = exceptionState(exception, rules, Number.isFinite(lastMatched) ? lastMatched : undefined, now);
  const end = formatInstant(endOf(exception, rules));
  const [isExpired, isUnused, limited] = [state === 'Expired', state === 'Unused', isLimited(exception, rules)];
  const isHonoured = !isExpired && rules.action === 'Allow';
  const unused = isUnused ? 'No violation was allowed at admission for 30 days.' : 'Used, or younger than 30 days.';
  const policies = limited
    ? 'Policies shorten the exception, or leave out checks.'
    : 'Policies allow the whole exception.';
  const conditions: readonly Condition[] = [
    ['Active', isHonoured, isHonoured ? 'Honoured' : 'NotHonoured', `The exception ends at ${end}.`],
    ['Expired', isExpired, isExpired ? 'Ended' : 'NotEnded', `The end is ${end}.`],
    ['Unused', isUnused, isUnused ? 'NoMatch' : 'Matched', unused],
    ['Limited', limited, limited ? 'LimitedByPolicy' : 'NotLimited', policies],
  ];
  return { ...written, ...stateFields(object, state, now, conditions) };
}

type Condition = readonly [type: string, isTrue: boolean, reason: string, message: string];

/** The fields of a status that the leader writes. */
function stateFields(
  object: JsonObject,
  state: ExceptionState | LeftOutState,
  now: number,
  conditions: readonly Condition[],
): object {
  const observedGeneration = valueAt(object, ['metadata', 'generation']);
  const before = objectsAt(object, 'status', 'conditions');
  const updated = conditions.map(([type, isTrue, reason, message]) => {
    const condition = { type, status: isTrue ? 'True' : 'False', reason, message } as const;
    return updatedCondition(before, condition, observedGeneration, formatInstant(now));
  });
  return { observedGeneration, state, checks: checksInWords(object), conditions: updated };
}

/** The longest text of a column that a terminal can show beside others. */
const MOST_CHECKS_LENGTH = 200;

/** The checks as `kubectl get` shows them: a column of a list would show JSON. */
function checksInWords(object: JsonObject): string {
  const checks = valueAt(object, ['spec', 'checks']);
  const ids = Array.isArray(checks) ? checks.filter((id): id is string => typeof id === 'string') : [];
  return cut(ids.join(', '), MOST_CHECKS_LENGTH);
}

/** An exception without effect: a budget has no room for it, or it cannot be read. */
interface LeftOutException {
  readonly state: LeftOutState;
  readonly problem: string | undefined;
}

/** Returns the fields of the status to write for an exception that is left out. */
function leftOutStatus(object: JsonObject, { state, problem }: LeftOutException, now: number): object {
  const why =
    state === 'Invalid'
      ? `The exception cannot be read: ${problem ?? ''}`
      : 'Older exceptions of the namespace, or exceptions of other namespaces, use up a budget.';
  return stateFields(object, state, now, [['Active', false, state, `The exception is not honoured. ${why}`]]);
}
