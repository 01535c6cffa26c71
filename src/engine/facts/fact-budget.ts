/** The budgets that an object may exceed: of one object, of a namespace (objects, bytes), of all namespaces. */
export const FACT_BUDGETS = ['object', 'objects', 'bytes', 'total'] as const;
export type FactBudget = (typeof FACT_BUDGETS)[number];

/** The budgets of one kind of facts. All but `objects` are in bytes of memory, as the kind estimates the bytes. */
export interface FactLimits {
  /** Of one object. */
  readonly object: number;
  /** Objects of one namespace. */
  readonly objects: number;
  /** Of the objects of one namespace. */
  readonly bytes: number;
  /** Of the objects of all namespaces together. */
  readonly total: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The budgets of each kind. A cluster with 40,000 ordinary objects of a kind is within them. All totals together, and
 * the budget of policies, leave more than half of the heap that the chart sets (docs/limits.md).
 */
export const EXCEPTION_LIMITS: FactLimits = { object: 128 * KIB, objects: 1000, bytes: 512 * KIB, total: 16 * MIB };
export const SERVICE_LIMITS: FactLimits = { object: 8 * KIB, objects: 10_000, bytes: 2 * MIB, total: 8 * MIB };
export const PROFILE_LIMITS: FactLimits = { object: 16 * KIB, objects: 10_000, bytes: 2 * MIB, total: 12 * MIB };

/** An object that is kept as a text, and the place of the object in its list. Measured. */
const TEXT_MEMORY = 80;

/** How many bytes of heap a fact takes that is kept as one text. V8 keeps characters beyond Latin-1 in two bytes. */
export function memoryOfText(text: string): number {
  return TEXT_MEMORY + text.length * (/[^\u0000-\u00ff]/.test(text) ? 2 : 1);
}

/** The share of the budgets that the facts of a namespace get. */
export interface FactGrants {
  /** For each fact, in order: the budget that is too small for the fact, or undefined. */
  readonly exceeded: readonly (FactBudget | undefined)[];
  /** Bytes of all facts within the budgets. */
  readonly bytes: number;
}

/**
 * Grants budget to the facts of one namespace, in order. A later fact may fit where a larger, earlier fact does not.
 *
 * @param sizes the bytes of each fact: the oldest fact first, then by name
 * @param level what the namespace may take of the total
 */
export function grantFacts(sizes: readonly number[], limits: FactLimits, level = Infinity): FactGrants {
  let [objects, bytes] = [0, 0];
  const exceeded = sizes.map((size): FactBudget | undefined => {
    if (size > limits.object) return 'object';
    if (objects + 1 > limits.objects) return 'objects';
    if (bytes + size > limits.bytes) return 'bytes';
    if (bytes + size > level) return 'total';
    objects += 1;
    bytes += size;
    return undefined;
  });
  return { exceeded, bytes };
}
