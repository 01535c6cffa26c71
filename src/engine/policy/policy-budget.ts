import { MAX_SPEC_BYTES } from './bounds.ts';

/** The most policies of one namespace that are in force. */
export const NAMESPACE_POLICIES = 1000;
/** The most bytes that the specs of one namespace's policies in force take, as JSON. */
export const NAMESPACE_BYTES = 512 * 1024;
/**
 * The memory for the policies of all namespaces together, in bytes, when it is not set. docs/limits.md has the sizing.
 */
export const POLICY_BUDGET_BYTES = 32 * 1024 * 1024;

/** The budgets that a policy may exceed: of a spec, of a namespace (policies, bytes), of all namespaces together. */
export const BUDGETS = ['spec', 'policies', 'bytes', 'total'] as const;
export type Budget = (typeof BUDGETS)[number];

/** The budget of one namespace. */
export interface NamespaceLimits {
  readonly policies: number;
  readonly bytes: number;
}

/** The budget of a namespace's ProbePolicies. */
export const NAMESPACE_LIMITS: NamespaceLimits = { policies: NAMESPACE_POLICIES, bytes: NAMESPACE_BYTES };
/** ClusterProbePolicies have no budget, as the platform team writes them. Only the bound of a spec holds. */
export const NO_LIMITS: NamespaceLimits = { policies: Infinity, bytes: Infinity };

/** The sizes of one version of a policy. */
export interface Sized {
  /** Of the spec, as JSON. */
  readonly bytes: number;
  /** The memory of the version in bytes at most, as `memoryOf` estimates it. */
  readonly memory: number;
}

/** A policy's name, its place in every index, its status. */
const POLICY_MEMORY = 1024;
/** The spec as text, and once more what its texts were read into. */
const MEMORY_OF_CHARACTER = 2.5;
/** An object, or a text, and its place in what it is a member of. */
const MEMORY_OF_MEMBER = 72;
/** Bytes for the problems of a version that cannot be read. */
const PROBLEMS_MEMORY = 3 * POLICY_MEMORY;

/**
 * How many bytes of heap a policy may take. The figures are measured: of the same length as JSON, a list of short texts
 * takes ten times as much as one long text. test/robustness/policy-memory.test.ts holds the estimate to the heap.
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

/** The sizes of one policy, and its age. */
export interface BudgetedPolicy {
  readonly name: string;
  /** metadata.creationTimestamp in milliseconds since the epoch: older policies get their budget first. */
  readonly created: number;
  /** The newest version; undefined when the newest version cannot be read, and takes no memory. */
  readonly newest: Sized | undefined;
  /** The last version in force, when the newest version is not in force. */
  readonly lastGood: Sized | undefined;
}

/** The share of the budgets that a policy gets. */
export interface Grant {
  /**
   * The version that may be in force. `problems` = no version is in force, but the newest version's problems are kept.
   */
  readonly version: 'newest' | 'lastGood' | 'problems' | 'none';
  /**
   * The budget that is too small for the newest version, or for the last good version of a policy that cannot be read.
   */
  readonly exceeded: Budget | undefined;
}

/** The use of the budgets by the policies of a namespace. */
export interface NamespaceUse {
  /** Policies in force, and those whose problems are remembered. */
  readonly policies: number;
  /** Bytes of the specs in force. */
  readonly bytes: number;
  /** Of the budget of all namespaces. */
  readonly memory: number;
}

/** The grants for the policies of one namespace, and what these policies use. */
export interface NamespaceGrants {
  /** In the order of the policies. */
  readonly grants: readonly Grant[];
  readonly use: NamespaceUse;
}

/**
 * Orders the policies of a namespace: the oldest first, then by name. The order depends on the objects only, so
 * replicas agree.
 */
export function byAge(
  a: Pick<BudgetedPolicy, 'name' | 'created'>,
  b: Pick<BudgetedPolicy, 'name' | 'created'>,
): number {
  return a.created - b.created || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/**
 * Grants budget to the policies of one namespace, in order. A policy gets its newest version when the rest of the
 * budget has room, else its last good version when the rest has room. A later policy may fit where a larger, earlier
 * policy does not.
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

/** Few different grants exist for many policies, so each grant is one shared object. */
const GRANTS: readonly Grant[] = (['lastGood', 'problems', 'none'] as const).flatMap((version) =>
  [...BUDGETS, undefined].map((exceeded) => ({ version, exceeded })),
);

function grant(version: Grant['version'], exceeded: Budget | undefined): Grant {
  return GRANTS.find((known) => known.version === version && known.exceeded === exceeded) ?? FITS;
}

/**
 * The maximum for each namespace, so that all namespaces together stay within a total. The largest namespaces are cut
 * to this level; smaller ones are not affected. Infinity when the total is enough for all.
 *
 * @param wanted what each namespace would use without a cut
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
