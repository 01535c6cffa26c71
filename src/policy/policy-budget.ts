import { MAX_SPEC_BYTES } from './bounds.ts';

/** The most policies of one namespace that are in force. */
export const NAMESPACE_POLICIES = 1000;
/** The most bytes that the specs of one namespace's policies in force take, as JSON. */
export const NAMESPACE_BYTES = 512 * 1024;
/** The memory for the policies of all namespaces together, in bytes, when it is not set. docs/limits.md has the sizing. */
export const POLICY_BUDGET_BYTES = 32 * 1024 * 1024;

/** The budgets that a policy may be over: of a spec, of a namespace (policies, bytes), of all namespaces together. */
export const BUDGETS = ['spec', 'policies', 'bytes', 'total'] as const;
export type Budget = (typeof BUDGETS)[number];

/** How much there is room for in one namespace. */
export interface NamespaceLimits {
  readonly policies: number;
  readonly bytes: number;
}

/** A namespace's. */
export const NAMESPACE_LIMITS: NamespaceLimits = { policies: NAMESPACE_POLICIES, bytes: NAMESPACE_BYTES };
/** For the policies of the cluster, which are the platform's own: only the bound of a spec holds. */
export const NO_LIMITS: NamespaceLimits = { policies: Infinity, bytes: Infinity };

/** A version of a policy as the budgets see it. */
export interface Sized {
  /** Of the spec, as JSON. */
  readonly bytes: number;
  /** What the version takes in memory at most, as `memoryOf` estimates it. */
  readonly memory: number;
}

/** A policy's name, its place in every index, its status. */
const POLICY_MEMORY = 1024;
/** The spec as text, and once more what its texts were read into. */
const MEMORY_OF_CHARACTER = 2.5;
/** An object, or a text, and its place in what it is a member of. */
const MEMORY_OF_MEMBER = 56;
/** What is remembered of a version that cannot be read. */
const PROBLEMS_MEMORY = 3 * POLICY_MEMORY;

/**
 * How many bytes of heap a policy may take. The figures are measured: of the same length as JSON, a list of short texts takes ten times as
 * much as one long text. test/robustness/policy-memory.test.ts holds the estimate to the heap.
 *
 * @param text the spec as JSON
 */
export function memoryOf(spec: unknown, text: string): number {
  // V8 keeps a text with any character beyond Latin-1 in two bytes a character.
  const width = /[^\u0000-\u00ff]/.test(text) ? 2 : 1;
  return POLICY_MEMORY + Math.ceil(text.length * width * MEMORY_OF_CHARACTER) + membersIn(spec) * MEMORY_OF_MEMBER;
}

function membersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const member of Object.values(value)) count += 1 + membersIn(member);
  return count;
}

/** A policy as the budgets see it. */
export interface BudgetedPolicy {
  readonly name: string;
  /** metadata.creationTimestamp: who came first goes first. In milliseconds since the epoch. */
  readonly created: number;
  /** The newest version; undefined when it cannot be read and so takes nothing. */
  readonly newest: Sized | undefined;
  /** The last version that was in force, when there is one beside the newest. */
  readonly lastGood: Sized | undefined;
}

/** What a policy gets of the budgets. */
export interface Grant {
  /** Which version may be in force. `problems` = none, but what keeps the newest from being read is remembered. */
  readonly version: 'newest' | 'lastGood' | 'problems' | 'none';
  /** The budget that the newest version, or the last good one of a policy that cannot be read, does not fit into. */
  readonly exceeded: Budget | undefined;
}

/** What a namespace's policies take. */
export interface NamespaceUse {
  /** Policies in force, and those whose problems are remembered. */
  readonly policies: number;
  /** Bytes of the specs in force. */
  readonly bytes: number;
  /** Of the budget of all namespaces. */
  readonly memory: number;
}

/** What the policies of one namespace get, and what they take then. */
export interface NamespaceGrants {
  /** In the order of the policies. */
  readonly grants: readonly Grant[];
  readonly use: NamespaceUse;
}

/** Orders the policies of a namespace: the oldest first, by name those of one second. It depends on nothing but the objects. */
export function byAge(
  a: Pick<BudgetedPolicy, 'name' | 'created'>,
  b: Pick<BudgetedPolicy, 'name' | 'created'>,
): number {
  return a.created - b.created || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/**
 * Gives the policies of one namespace what the budgets have room for. Each in turn gets its newest version when that fits into what is left,
 * else its last good one when that does. A later, smaller one may fit where an earlier one does not.
 *
 * @param policies in the order of `byAge`
 * @param memory what the namespace may take of the budget of all namespaces
 */
export function grantNamespace(
  policies: readonly BudgetedPolicy[],
  memory = Infinity,
  limits: NamespaceLimits = NAMESPACE_LIMITS,
): NamespaceGrants {
  let use: NamespaceUse = { policies: 0, bytes: 0, memory: 0 };
  const plus = (size: Sized): NamespaceUse => ({
    policies: use.policies + 1,
    bytes: use.bytes + size.bytes,
    memory: use.memory + size.memory,
  });
  const exceeds = (size: Sized): Budget | undefined => {
    const after = plus(size);
    if (size.bytes > MAX_SPEC_BYTES) return 'spec';
    if (after.policies > limits.policies) return 'policies';
    if (after.bytes > limits.bytes) return 'bytes';
    return after.memory > memory ? 'total' : undefined;
  };
  const grants = policies.map(({ newest, lastGood }): Grant => {
    const exceeded = newest && exceeds(newest);
    if (newest !== undefined && exceeded === undefined) {
      use = plus(newest);
      return FITS;
    }
    const kept = lastGood && newest === undefined ? withProblems(lastGood) : lastGood;
    const other = kept && exceeds(kept);
    if (kept !== undefined && other === undefined) {
      use = plus(kept);
      return grant('lastGood', exceeded);
    }
    if (newest !== undefined) return grant('none', exceeded);
    const full = exceeds(PROBLEMS);
    if (full !== undefined) return grant('none', full);
    use = plus(PROBLEMS);
    return grant('problems', other);
  });
  return { grants, use };
}

const PROBLEMS: Sized = { bytes: 0, memory: PROBLEMS_MEMORY };

function withProblems({ bytes, memory }: Sized): Sized {
  return { bytes, memory: memory + PROBLEMS_MEMORY };
}

const FITS: Grant = { version: 'newest', exceeded: undefined };

/** There are few different grants and many policies: each is made once. */
const GRANTS: readonly Grant[] = (['lastGood', 'problems', 'none'] as const).flatMap((version) =>
  [...BUDGETS, undefined].map((exceeded) => ({ version, exceeded })),
);

function grant(version: Grant['version'], exceeded: Budget | undefined): Grant {
  return GRANTS.find((known) => known.version === version && known.exceeded === exceeded) ?? FITS;
}

/**
 * The most that each namespace may take so that all together keep within a total: those that take less are left alone, and the largest are
 * cut to one level. Infinity when there is enough for all.
 *
 * @param wanted what each namespace takes when it is not cut
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
