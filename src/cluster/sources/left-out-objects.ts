import { cut } from '../../base/text/cut.ts';
import { ownCopy } from '../../base/text/utf8.ts';
import { BUDGETS, byAge, type Age, type Budget, type Use } from '../../engine/policy/budget.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';

/** Why an object is left out: a budget has no room for the object, or the object cannot be read. */
export type LeftOutReason = Budget | 'invalid';

export interface UnreadableObject {
  readonly namespace: string;
  readonly name: string;
  readonly problem: string;
}

/** An object that is left out, and what is known of it now: the whole object, or what was kept before. */
export interface LeftOut<T> {
  readonly namespace: string;
  readonly name: string;
  readonly reason: LeftOutReason;
  readonly problem: string | undefined;
  readonly object: KubernetesObject | undefined;
  readonly entry: T | undefined;
}

/** Objects of a namespace that are over a budget. `count` 0 = all objects are within the budgets again. */
export interface OverBudgetChange {
  readonly namespace: string;
  readonly count: number;
  readonly first: readonly string[];
  readonly use: Use;
}

interface LeftOutRecord extends Age {
  readonly reason: LeftOutReason;
  readonly problem: string | undefined;
}

/** The most objects that are left out and recorded, so that logs, counts and statuses tell of them. */
const MOST_RECORDED = 4096;
const MOST_RECORDED_OF_NAMESPACE = 256;
const MOST_NAMES = 5;
const LONGEST_PROBLEM = 512;

export class LeftOutObjects {
  readonly #records = new Map<string, Map<string, LeftOutRecord>>();
  #size = 0;
  #unreadable: UnreadableObject[] = [];
  readonly #reportedOver = new Set<string>();

  /** The objects that are recorded. */
  places(): (readonly [namespace: string, name: string])[] {
    return [...this.#records].flatMap(([namespace, records]) =>
      Array.from(records.keys(), (name) => [namespace, name] as const),
    );
  }

  /** Returns the record's name and problem; undefined when too many objects are recorded. */
  record(
    namespace: string,
    { name, created }: Age,
    reason: LeftOutReason,
    problem: string | undefined,
  ): Pick<LeftOutRecord, 'name' | 'problem'> | undefined {
    const records = this.#records.get(namespace) ?? new Map<string, LeftOutRecord>();
    const known = records.get(name);
    if (known === undefined && (this.#size >= MOST_RECORDED || records.size >= MOST_RECORDED_OF_NAMESPACE))
      return undefined;
    if (known === undefined) this.#size += 1;
    // The name may be a part of a text that is no longer kept.
    const shown = problem && cut(problem, LONGEST_PROBLEM);
    const kept = { name: ownCopy(name), created, reason, problem: shown };
    records.set(kept.name, kept);
    this.#records.set(namespace, records);
    if (shown !== undefined && known?.problem !== shown)
      this.#unreadable.push({ namespace, name: kept.name, problem: shown });
    return kept;
  }

  forget(namespace: string, name: string): void {
    const records = this.#records.get(namespace);
    if (records?.delete(name) !== true) return;
    this.#size -= 1;
    if (records.size === 0) this.#records.delete(namespace);
  }

  counts(): Record<LeftOutReason, number> {
    const reasons: readonly LeftOutReason[] = [...BUDGETS, 'invalid'];
    const counts = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<LeftOutReason, number>;
    for (const records of this.#records.values()) for (const { reason } of records.values()) counts[reason] += 1;
    return counts;
  }

  /** The objects with new problems: few of a namespace at once, as a tenant may write thousands. */
  takeUnreadable(): readonly UnreadableObject[] {
    const byNamespace = Map.groupBy(this.#unreadable, ({ namespace }) => namespace);
    this.#unreadable = [];
    return [...byNamespace.values()].flatMap((objects) => objects.slice(0, MOST_NAMES));
  }

  /** News of a namespace over a budget, or no longer. `isCut` = objects over a budget may not be recorded. */
  overBudgetNews(
    namespace: string,
    isCut: boolean,
  ): { readonly count: number; readonly first: readonly string[] } | undefined {
    const over = [...(this.#records.get(namespace)?.values() ?? [])].filter(({ reason }) => reason !== 'invalid');
    const isReported = this.#reportedOver.has(namespace);
    const isOver = over.length > 0 || (isCut && isReported);
    if (isOver === isReported) return undefined;
    if (isOver) this.#reportedOver.add(namespace);
    else this.#reportedOver.delete(namespace);
    const names = over.sort(byAge).map(({ name }) => name);
    return { count: over.length, first: names.slice(0, MOST_NAMES) };
  }
}
