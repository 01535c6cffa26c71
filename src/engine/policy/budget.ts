import { compareText } from '../../base/text/cut.ts';

/** The budgets that an object may exceed: of one object, of a namespace (objects, bytes), of all namespaces. */
export const BUDGETS = ['object', 'objects', 'bytes', 'total'] as const;
export type Budget = (typeof BUDGETS)[number];

/** The budgets as metrics about policies name them. */
export const POLICY_BUDGETS = ['spec', 'policies', 'bytes', 'total'] as const;
export type PolicyBudget = (typeof POLICY_BUDGETS)[number];

/** A number of objects, and their bytes as JSON. */
export interface Use {
  readonly objects: number;
  readonly bytes: number;
}

/** The oldest objects of a namespace count, within `objects` and `bytes`; of these, the oldest of the kind. */
export interface BudgetLimits extends Use {
  /** Bytes of one object. */
  readonly object: number;
  /** Of all namespaces together. */
  readonly total: Use;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** The bytes of the ProbePolicies of all namespaces, when they are not set. docs/limits.md has the sizing. */
export const POLICY_BUDGET_BYTES = 8 * MIB;
const POLICIES_A_MEBIBYTE = 2000;

/** The budgets of ProbePolicies, but for the total. `bytes` are those of the specs. */
export const POLICY_LIMITS = { object: Infinity, objects: 100, bytes: 192 * KIB } as const;
/** ClusterProbePolicies and Namespaces belong to the platform team. */
const UNLIMITED: Use = { objects: Infinity, bytes: Infinity };
export const NO_LIMITS: BudgetLimits = { object: Infinity, ...UNLIMITED, total: UNLIMITED };

/** The budgets of facts: enough for a cluster with 40,000 ordinary objects of a kind (docs/limits.md). */
const MOST_FACTS = 40_000;
export const EXCEPTION_LIMITS = factLimits(128 * KIB, { objects: 1000, bytes: 512 * KIB }, 16 * MIB);
export const SERVICE_LIMITS = factLimits(8 * KIB, { objects: 10_000, bytes: 2 * MIB }, 8 * MIB);
export const PROFILE_LIMITS = factLimits(16 * KIB, { objects: 10_000, bytes: 2 * MIB }, 12 * MIB);

function factLimits(object: number, ofNamespace: Use, bytes: number): BudgetLimits {
  return { object, ...ofNamespace, total: { objects: MOST_FACTS, bytes } };
}

/** The number of ProbePolicies and their bytes, of all namespaces together. */
export function policyTotal(bytes: number): Use {
  return { objects: Math.ceil((POLICIES_A_MEBIBYTE * bytes) / MIB), bytes };
}

export const NO_USE: Use = { objects: 0, bytes: 0 };

export function plus(use: Use, other: Use): Use {
  return { objects: use.objects + other.objects, bytes: use.bytes + other.bytes };
}

/** The budget that is exceeded. */
export function exceededBudget(use: Use, limits: Use): 'objects' | 'bytes' | undefined {
  if (use.objects > limits.objects) return 'objects';
  return use.bytes > limits.bytes ? 'bytes' : undefined;
}

/** The place of an object in the order in which objects get their budgets. */
export interface Age {
  readonly name: string;
  readonly namespace?: string;
  /** metadata.creationTimestamp as a number; 0 where it is unknown. */
  readonly created: number;
}

export function byAge(a: Age, b: Age): number {
  const { namespace: one = '' } = a;
  return a.created - b.created || compareText(one, b.namespace ?? '') || compareText(a.name, b.name);
}

/**
 * The first object that the budgets have no room for. It ends the count, so an object can only lose its place to older
 * ones.
 *
 * @param uses what objects take of the budgets, in any order
 */
export function firstWithoutRoom<T extends Age & Use>(
  uses: readonly T[],
  limits: Use,
): { readonly object: T; readonly exceeded: 'objects' | 'bytes' } | undefined {
  let sum = NO_USE;
  for (const object of uses.toSorted(byAge)) {
    sum = plus(sum, object);
    const exceeded = exceededBudget(sum, limits);
    if (exceeded !== undefined) return { object, exceeded };
  }
  return undefined;
}
