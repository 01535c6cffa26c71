import { cut } from '../../base/text/cut.ts';
import { byAge, fairLevel } from '../../engine/policy/policy-budget.ts';
import { formatProblem } from '../../engine/policy/problems.ts';
import { parseInstant } from '../../base/text/instant.ts';
import { ownCopy } from '../../base/text/own-copy.ts';
import type { FactBudget } from '../../engine/facts/fact-budget.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { Problem } from '../../engine/policy/problems.ts';
import type { FactKind, NamedFact } from './fact-kind.ts';

/** Why an object is left out: a budget has no room for the object, or the object cannot be read. */
export type LeftOutReason = FactBudget | 'invalid';

/** The most characters that are kept of the problem of an object. */
const LONGEST_PROBLEM = 512;

/** The record of an object that is left out: next to nothing. */
export class LeftOutFact implements NamedFact {
  readonly name: string;
  /** Milliseconds since the epoch: older objects get their budget first. 0 for kinds that are ordered by name. */
  readonly created: number;
  /** The size that the object would take of the budgets. */
  readonly bytes: number;
  readonly reason: LeftOutReason;
  /** The first problem of an object that cannot be read. */
  readonly problem: string | undefined;
  /** The status of the object, for the writer of statuses. */
  readonly reported: string | undefined;
  /** Whether the problem has been reported. */
  isTold = false;

  constructor(fields: Pick<LeftOutFact, 'name' | 'created' | 'bytes' | 'reason' | 'problem' | 'reported'>) {
    // The name of a Service is a part of its digest.
    this.name = ownCopy(fields.name);
    this.created = fields.created;
    this.bytes = fields.bytes;
    this.reason = fields.reason;
    this.problem = fields.problem === undefined ? undefined : cut(fields.problem, LONGEST_PROBLEM);
    this.reported = fields.reported;
  }

  /** Returns the same object, left out for another reason. */
  because(reason: FactBudget): LeftOutFact {
    return reason === this.reason
      ? this
      : new LeftOutFact({
          name: this.name,
          created: this.created,
          bytes: this.bytes,
          reason,
          problem: this.problem,
          reported: this.reported,
        });
  }
}

/** The record of an object that cannot be read. */
export function unreadable(kind: FactKind, object: KubernetesObject, problem: Problem | undefined): LeftOutFact {
  const { name, creationTimestamp } = object.metadata;
  const created = typeof creationTimestamp === 'string' ? parseInstant(creationTimestamp) : undefined;
  return new LeftOutFact({
    name,
    created: kind.created === undefined ? 0 : (created ?? 0),
    bytes: 0,
    reason: 'invalid',
    problem: problem === undefined ? 'cannot be read' : formatProblem(problem),
    reported: kind.reportedOf?.(object as unknown as JsonObject),
  });
}

/** The most objects of one namespace that are left out and recorded. */
const MOST_OF_NAMESPACE = 256;
/** The most objects of all namespaces that are left out and recorded. */
const MOST_RECORDED = 4096;

/** The place of an object in the order of budgets. */
export type Age = Pick<LeftOutFact, 'name' | 'created'>;

/** The objects of one namespace that are left out. */
export class NamespaceLeftOut {
  readonly byName = new Map<string, LeftOutFact>();
  /** Nothing is recorded of objects at this place of the order and after it. */
  end: Age | undefined;
  /** Whether the last report said that objects are over a budget. */
  isReported = false;

  /** Whether nothing is recorded of an object, because too many older objects are left out. */
  isBeyond(age: Age): boolean {
    return this.end !== undefined && byAge(age, this.end) >= 0;
  }

  /** The objects that wait for room, the oldest first. */
  get overBudget(): LeftOutFact[] {
    return [...this.byName.values()].filter(({ reason }) => reason !== 'invalid').sort(byAge);
  }

  /** Forgets all objects from the first that is one too many. True if there was any. */
  trim(level: number): boolean {
    if (this.byName.size <= level) return false;
    const ordered = [...this.byName.values()].sort(byAge);
    this.end = ordered[level];
    for (const { name } of ordered.slice(level)) this.byName.delete(name);
    return true;
  }
}

/**
 * The most objects of one namespace that are recorded now, so that all namespaces stay within a total. A power of two,
 * so that an object elsewhere seldom changes the level.
 */
export function recordedLevel(namespaces: Iterable<NamespaceLeftOut>): number {
  // Forgotten facts count, too. So the level stays the same.
  const wanted = Array.from(namespaces, ({ byName, end }) => (end === undefined ? byName.size : MOST_OF_NAMESPACE));
  const level = fairLevel(
    wanted.map((count) => Math.min(count, MOST_OF_NAMESPACE)),
    MOST_RECORDED,
  );
  if (level >= MOST_OF_NAMESPACE) return MOST_OF_NAMESPACE;
  return Math.max(1, 2 ** Math.floor(Math.log2(level)));
}
