import { FACT_BUDGETS } from '../../engine/facts/fact-budget.ts';
import type { FactBudgets } from './fact-budgets.ts';
import type { LeftOutFact, LeftOutReason } from './left-out-fact.ts';

/** Objects of a namespace that are over a budget. `count` 0 = all objects are within the budgets again. */
export interface FactsOverBudget {
  readonly kind: string;
  readonly namespace: string;
  readonly count: number;
  /** The names of the oldest. */
  readonly first: readonly string[];
}

/** An object that cannot be read, and that has no effect therefore. */
export interface UnreadableFact {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly problem: string;
}

/** The reports of the facts of one kind. */
export interface FactListener {
  /** The facts have changed. Called after a page or an event with changes, and after the first list. */
  readonly changed: () => void;
  /** Objects of a namespace are over a budget, or no longer. Called once for each, and not while there is a list. */
  readonly overBudget?: ((change: FactsOverBudget) => void) | undefined;
  /** An object cannot be read. Called once for each problem, and not while there is a list. */
  readonly unreadable?: ((fact: UnreadableFact) => void) | undefined;
}

/** How many objects are left out, by reason, and bytes of the budget of all namespaces that are used. */
export interface FactCounts {
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
  readonly used: number;
}

/** An object that is left out, with its namespace. */
export interface LeftOutObject {
  readonly namespace: string;
  readonly fact: LeftOutFact;
}

/** The most names that a report has. */
const MOST_NAMES = 5;

/** Reports which objects of one kind are left out. */
export class FactReports {
  readonly #kind: string;
  readonly #budgets: FactBudgets;
  readonly #listener: FactListener;

  constructor(kind: string, budgets: FactBudgets, listener: FactListener) {
    this.#kind = kind;
    this.#budgets = budgets;
    this.#listener = listener;
  }

  /**
   * Reports namespaces that are newly over a budget, namespaces that are within the budgets again, and objects that are
   * newly unreadable. A tenant may write thousands of such objects. Only the first of a namespace are reported by name.
   */
  report(): void {
    for (const [namespace, known] of this.#budgets.leftOut) {
      this.#reportUnreadable(namespace, known.byName.values());
      const { overBudget } = known;
      const isOver = overBudget.length > 0 || known.end !== undefined;
      if (isOver === known.isReported) continue;
      known.isReported = isOver;
      const first = overBudget.slice(0, MOST_NAMES).map(({ name }) => name);
      this.#listener.overBudget?.({ kind: this.#kind, namespace, count: overBudget.length, first });
    }
  }

  #reportUnreadable(namespace: string, facts: Iterable<LeftOutFact>): void {
    let count = 0;
    for (const fact of facts) {
      if (fact.isTold || fact.reason !== 'invalid') continue;
      fact.isTold = true;
      const { name, problem = '' } = fact;
      if (++count <= MOST_NAMES) this.#listener.unreadable?.({ kind: this.#kind, namespace, name, problem });
    }
  }

  counts(): FactCounts {
    const reasons: readonly LeftOutReason[] = [...FACT_BUDGETS, 'invalid'];
    const leftOut = Object.fromEntries(reasons.map((reason) => [reason, 0])) as Record<LeftOutReason, number>;
    for (const { fact } of this.leftOut()) leftOut[fact.reason] += 1;
    return { leftOut, used: this.#budgets.used };
  }

  *leftOut(): Generator<LeftOutObject> {
    for (const [namespace, { byName }] of this.#budgets.leftOut)
      for (const fact of byName.values()) yield { namespace, fact };
  }
}
