import { compareText } from '../../base/text/cut.ts';

/** The budgets that an object may exceed: of one object, of a namespace (objects, bytes), of all namespaces. */
export const BUDGETS = ['object', 'objects', 'bytes', 'total'] as const;
export type Budget = (typeof BUDGETS)[number];

/** The budgets as metrics about policies name them. */
export const POLICY_BUDGETS = ['spec', 'policies', 'bytes', 'total'] as const;
export type PolicyBudget = (typeof POLICY_BUDGETS)[number];

export interface Limits {
  readonly object: number;
  /** Objects of one namespace: the oldest count. */
  readonly objects: number;
  readonly bytes: number;
  /** Bytes of memory of the objects of all namespaces together. The largest namespaces lose first. */
  readonly total: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** The memory for the policies of all namespaces, in bytes, when it is not set. docs/limits.md has the sizing. */
export const POLICY_BUDGET_BYTES = 32 * MIB;

/** The budgets of ProbePolicies, but for the total. `bytes` are those of the specs as JSON. */
export const POLICY_LIMITS = { object: Infinity, objects: 100, bytes: 512 * KIB } as const;
/** ClusterProbePolicies and Namespaces belong to the platform team. */
export const NO_LIMITS: Limits = { object: Infinity, objects: Infinity, bytes: Infinity, total: Infinity };

/**
 * The budgets of facts, in bytes of memory: enough for a cluster with 40,000 ordinary objects of a kind. All totals and
 * the budget of policies leave more than half of the chart's heap (docs/limits.md).
 */
export const EXCEPTION_LIMITS: Limits = { object: 128 * KIB, objects: 1000, bytes: 512 * KIB, total: 16 * MIB };
export const SERVICE_LIMITS: Limits = { object: 8 * KIB, objects: 10_000, bytes: 2 * MIB, total: 8 * MIB };
export const PROFILE_LIMITS: Limits = { object: 16 * KIB, objects: 10_000, bytes: 2 * MIB, total: 12 * MIB };

/** The size of what is kept of an object. The bytes of facts are their memory. */
export interface Size {
  readonly bytes: number;
  readonly memory: number;
}

export interface Use extends Size {
  readonly objects: number;
}

export const NO_USE: Use = { objects: 0, bytes: 0, memory: 0 };

/** The use with one object more, or with one less (`sign` -1). */
export function withObject(use: Use, size: Size, sign: 1 | -1 = 1): Use {
  return {
    objects: use.objects + sign,
    bytes: use.bytes + sign * size.bytes,
    memory: use.memory + sign * size.memory,
  };
}

/** The budget that the objects of a namespace exceed. `level` is what the namespace may take of the total. */
export function exceededBudget(use: Use, limits: Limits, level: number): Budget | undefined {
  if (use.objects > limits.objects) return 'objects';
  if (use.bytes > limits.bytes) return 'bytes';
  return use.memory > level ? 'total' : undefined;
}

/** The place of an object in the order in which the objects of a namespace get their budgets. */
export interface Age {
  readonly name: string;
  /** metadata.creationTimestamp in milliseconds since the epoch; 0 for kinds that are ordered by name. */
  readonly created: number;
}

export function byAge(a: Age, b: Age): number {
  return a.created - b.created || compareText(a.name, b.name);
}

/**
 * How many of the oldest objects of a namespace are within the budgets. The first that exceeds one ends the count, so
 * an object can only lose its place to older ones.
 *
 * @param oldestFirst the sizes in the order of `byAge`
 * @returns `exceeded` = the budget that has no room for the next object
 */
export function oldestWithin(
  oldestFirst: readonly Size[],
  limits: Limits,
  level: number,
): { readonly count: number; readonly use: Use; readonly exceeded: Budget | undefined } {
  let use = NO_USE;
  for (const [count, size] of oldestFirst.entries()) {
    const next = withObject(use, size);
    const exceeded = exceededBudget(next, limits, level);
    if (exceeded !== undefined) return { count, use, exceeded };
    use = next;
  }
  return { count: oldestFirst.length, use, exceeded: undefined };
}

/**
 * The maximum for each namespace, so that all together stay within a total. The largest namespaces are cut to this
 * level; smaller ones are not affected. Infinity when the total is enough for all.
 *
 * @param wanted what each namespace would use without a cut. Any number above the level stands for all numbers above.
 */
export function fairLevel(wanted: Iterable<number>, total: number): number {
  const ascending = Float64Array.from(wanted).sort();
  let left = total;
  for (const [index, memory] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (memory > share) return share;
    left -= memory;
  }
  return Infinity;
}

/** A policy's name, its place in every index, its status. */
const POLICY_MEMORY = 1216;
/** Bytes for the problems of a version that cannot be read, beside its last good version. */
export const PROBLEMS_MEMORY = 3072;
/** What the texts of a spec were read into. */
const MEMORY_OF_CHARACTER = 1.5;
/** An object, or a text, and its place in what it is a member of. */
const MEMORY_OF_MEMBER = 72;

/**
 * How many bytes of heap a policy may take. Measured: of the same length as JSON, short texts take ten times as much as
 * one long text. test/robustness/policy-memory.test.ts holds the estimate to the heap.
 *
 * @param text the spec as JSON
 */
export function memoryOfPolicy(spec: unknown, text: string): number {
  return (
    POLICY_MEMORY + Math.ceil(text.length * width(text) * MEMORY_OF_CHARACTER) + membersIn(spec) * MEMORY_OF_MEMBER
  );
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const member of Object.values(value)) count += 1 + membersIn(member);
  return count;
}

/** An object that is kept as a text, and the place of the object in its list. Measured. */
const TEXT_MEMORY = 80;

/** How many bytes of heap a fact takes that is kept as one text. */
export function memoryOfText(text: string): number {
  return TEXT_MEMORY + text.length * width(text);
}

/** V8 keeps a text with any character beyond Latin-1 in two bytes a character. */
function width(text: string): 1 | 2 {
  return /[^\u0000-\u00ff]/.test(text) ? 2 : 1;
}
