import { textAt } from '../../base/json/field-path.ts';
import { isJsonObject } from '../../base/json/json-value.ts';
import { hasCode, type ApiRequests } from '../client/api-client.ts';
import { realTimer, type Timer } from '../client/timing.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import {
  EXCEPTION_STATES,
  exceptionRules,
  exceptionState,
  type ExceptionRules,
  type ExceptionState,
} from '../../engine/policy/exception-rules.ts';
import { exceptionSource } from '../../engine/facts/facts.ts';
import {
  exceptionStatus,
  isLeftOutReported,
  isReported,
  leftOutStatus,
  reportedLastMatch,
} from './exception-status.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { LeftOutException } from './exception-status.ts';
import { patchStatus, type StatusWriter, type WrittenStatus } from './status-writer.ts';

export interface ExceptionStatusDependencies {
  readonly client: ApiRequests;
  /** Active on each replica, as each replica writes its matches. */
  readonly writer: Pick<StatusWriter, 'put' | 'drop'>;
  readonly snapshot: () => Snapshot | undefined;
  readonly now: () => number;
  readonly timer?: Timer;
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
  #isLeader = false;
  #callOff: (() => void) | undefined;

  constructor(dependencies: ExceptionStatusDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    const { timer = realTimer } = this.#dependencies;
    this.#callOff = timer(PASS_MILLISECONDS, () => {
      this.pass();
      this.start();
    });
  }

  stop(): void {
    this.#callOff?.();
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

  leftOut(left: LeftOutException): void {
    if (this.#isLeader && !isLeftOutReported(left)) this.#put(left.namespace, left.name, left);
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
    const write = (signal: AbortSignal): Promise<WrittenStatus | undefined> =>
      this.#write(namespace, name, left, signal);
    this.#dependencies.writer.put({ place: exceptionSource(namespace, name), resourceVersion: undefined, write });
  }

  async #write(
    namespace: string,
    name: string,
    left: LeftOutException | undefined,
    signal: AbortSignal,
  ): Promise<WrittenStatus | undefined> {
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
    if (!isJsonObject(object) || resourceVersion === undefined || current === undefined) return undefined;
    const patch = async (status: object): Promise<WrittenStatus> => {
      await patchStatus(client, path, 'probewright', { metadata: { resourceVersion }, status }, signal);
      return { isKept: true, resourceVersion: undefined };
    };
    const exception = current.facts.exceptions.ofNamespace(namespace).find((known) => known.name === name);
    if (exception === undefined) {
      this.#pending.delete(key);
      return left !== undefined && this.#isLeader ? patch(leftOutStatus(object, left, now())) : undefined;
    }
    const { count, last } = this.#pending.get(key) ?? { count: 0, last: undefined };
    const news = { now: now(), count, last, writesState: this.#isLeader };
    const written = await patch(exceptionStatus(object, exception, rulesOf(current, namespace), news));
    // Matches may have been noted during the write.
    const matches = this.#pending.get(key);
    if (last === undefined || matches === undefined) return written;
    this.#written.set(key, news.now);
    if (matches.count === count) this.#pending.delete(key);
    else this.#pending.set(key, { ...matches, count: matches.count - count });
    return written;
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
    for (const exception of exceptions)
      counts[exceptionState(exception, rules, reportedLastMatch(exception), now)] += 1;
  }
  return counts;
}
