import { grantFacts } from '../../engine/facts/fact-budget.ts';
import { byAge, fairLevel } from '../../engine/policy/policy-budget.ts';
import { FactsToLoad } from './facts-to-load.ts';
import { LeftOutFact, NamespaceLeftOut, recordedLevel } from './left-out-fact.ts';
import type { FactGrants } from '../../engine/facts/fact-budget.ts';
import type { FactKind, NamedFact } from './fact-kind.ts';
import type { Age, LeftOutReason } from './left-out-fact.ts';

/** The facts of each namespace, sorted by name. */
type Lists = Map<string, readonly NamedFact[]>;

/**
 * Keeps the facts of one kind within the budgets: of a namespace, and of all namespaces together. Objects over a budget
 * leave the lists, and next to nothing is kept of them. What stays depends on the objects only, so replicas agree.
 */
export class FactBudgets {
  readonly toLoad = new FactsToLoad();
  readonly #kind: FactKind;
  readonly #lists: Lists;
  readonly #leftOut = new Map<string, NamespaceLeftOut>();
  /** By namespace: the bytes that its facts would be granted if there were no other namespaces. */
  readonly #wanted = new Map<string, number>();
  /** Namespaces whose grants have to be worked out again. */
  readonly #unsettled = new Set<string>();
  #level = Infinity;
  /** The most objects of a namespace that are left out and recorded. */
  #recordedLevel = Infinity;
  #isListChanged = false;

  /** @param lists the facts that are kept, which `settle` changes */
  constructor(kind: FactKind, lists: Lists) {
    this.#kind = kind;
    this.#lists = lists;
  }

  /** The facts of the namespace have changed. */
  noteChange(namespace: string): void {
    this.#unsettled.add(namespace);
  }

  /** The objects that are left out, by namespace. */
  get leftOut(): ReadonlyMap<string, NamespaceLeftOut> {
    return this.#leftOut;
  }

  /** Bytes that the budget of all namespaces together is used for. */
  get used(): number {
    let used = 0;
    for (const wanted of this.#wanted.values()) used += Math.min(wanted, this.#level);
    return used;
  }

  /** Forgets that an object is left out. */
  forget(namespace: string, name: string): void {
    const known = this.#leftOut.get(namespace);
    if (known?.byName.delete(name) !== true) return;
    this.toLoad.delete(namespace, name);
    this.noteChange(namespace);
  }

  /** Records an object that is left out. */
  record(namespace: string, fact: LeftOutFact): void {
    const known = this.#leftOut.get(namespace) ?? new NamespaceLeftOut();
    this.#leftOut.set(namespace, known);
    // The same problem again: each list has every object.
    const before = known.byName.get(fact.name);
    if (before?.problem === fact.problem) fact.isTold = before?.isTold === true;
    if (!known.isBeyond(fact)) known.byName.set(fact.name, fact);
    this.toLoad.delete(namespace, fact.name);
    this.noteChange(namespace);
  }

  /** Whether nothing is kept of an object, because too many older objects of its namespace are left out. */
  isBeyond(namespace: string, fact: NamedFact): boolean {
    return this.#leftOut.get(namespace)?.isBeyond(this.#ageOf(fact)) === true;
  }

  /** A namespace with objects that are not recorded will be read: until then, all objects are recorded. */
  beginReading(namespace: string): void {
    const known = this.#leftOut.get(namespace);
    if (known !== undefined) known.end = undefined;
  }

  /** Grants every fact what the budgets leave for it. Returns true if a list has changed. */
  settle(): boolean {
    this.#isListChanged = false;
    do this.#grantAll();
    while (this.#trim());
    for (const [namespace, known] of this.#leftOut) {
      const { byName, end, isReported } = known;
      if (end !== undefined && byName.size <= this.#recordedLevel / 2 && !this.toLoad.isBeingRead(namespace))
        this.toLoad.add(namespace, undefined);
      if (byName.size === 0 && end === undefined && !isReported && !this.toLoad.isBeingRead(namespace))
        this.#leftOut.delete(namespace);
    }
    return this.#isListChanged;
  }

  #grantAll(): void {
    if (this.#unsettled.size === 0) return;
    for (const namespace of this.#unsettled) {
      const { bytes } = this.#grants(namespace, Infinity);
      if (bytes === 0) this.#wanted.delete(namespace);
      else this.#wanted.set(namespace, bytes);
    }
    const before = this.#level;
    this.#level = fairLevel(this.#wanted.values(), this.#kind.limits.total);
    const least = Math.min(before, this.#level);
    for (const [namespace, wanted] of this.#wanted)
      if (this.#level !== before && wanted > least) this.#unsettled.add(namespace);
    for (const namespace of this.#unsettled) this.#apply(namespace);
    this.#unsettled.clear();
  }

  /** The facts of a namespace with those over budget, the oldest first, and what they are granted. */
  #grants(namespace: string, level: number): FactGrants & { readonly ordered: readonly NamedFact[] } {
    const list = this.#lists.get(namespace) ?? [];
    const over = this.#leftOut.get(namespace)?.overBudget ?? [];
    const sizes = (facts: readonly NamedFact[]): number[] => facts.map((fact) => this.#bytesOf(fact));
    if (over.length === 0) {
      // In any order, as all fit.
      const grants = grantFacts(sizes(list), this.#kind.limits, level);
      if (grants.exceeded.every((budget) => budget === undefined)) return { ...grants, ordered: list };
    }
    const ordered = [...list, ...over]
      .map((fact) => ({ fact, ...this.#ageOf(fact) }))
      .sort(byAge)
      .map(({ fact }) => fact);
    return { ...grantFacts(sizes(ordered), this.#kind.limits, level), ordered };
  }

  /** Takes facts over budget out of the list, and notes what can be loaded. */
  #apply(namespace: string): void {
    const { ordered, exceeded } = this.#grants(namespace, this.#level);
    const dropped = new Set<NamedFact>();
    for (const [index, fact] of ordered.entries()) {
      const budget = exceeded[index];
      if (fact instanceof LeftOutFact) {
        if (budget === undefined) this.toLoad.add(namespace, fact.name);
        else {
          this.toLoad.delete(namespace, fact.name);
          this.#leftOut.get(namespace)?.byName.set(fact.name, fact.because(budget));
        }
      } else if (budget !== undefined) {
        dropped.add(fact);
        this.record(namespace, this.#leftOutFor(fact, budget));
      }
    }
    if (dropped.size > 0) this.#keep(namespace, (fact) => !dropped.has(fact));
  }

  /** Forgets objects that are left out and too many. True if there was any. */
  #trim(): boolean {
    this.#recordedLevel = recordedLevel(this.#leftOut.values());
    for (const [namespace, known] of this.#leftOut) {
      if (!known.trim(this.#recordedLevel)) continue;
      this.#keep(namespace, (fact) => !known.isBeyond(this.#ageOf(fact)));
      this.noteChange(namespace);
    }
    return this.#unsettled.size > 0;
  }

  #keep(namespace: string, isKept: (fact: NamedFact) => boolean): void {
    const before = this.#lists.get(namespace) ?? [];
    const list = before.filter(isKept);
    if (list.length !== before.length) this.#isListChanged = true;
    if (list.length === 0) this.#lists.delete(namespace);
    else this.#lists.set(namespace, list.slice());
  }

  #leftOutFor(fact: NamedFact, reason: LeftOutReason): LeftOutFact {
    const { created, name } = this.#ageOf(fact);
    const reported = this.#kind.reported?.(fact);
    return new LeftOutFact({ name, created, bytes: this.#bytesOf(fact), reason, problem: undefined, reported });
  }

  #bytesOf(fact: NamedFact): number {
    return fact instanceof LeftOutFact ? fact.bytes : this.#kind.bytes(fact);
  }

  #ageOf(fact: NamedFact): Age {
    if (fact instanceof LeftOutFact) return fact;
    return { name: fact.name, created: this.#kind.created?.(fact) ?? 0 };
  }
}
