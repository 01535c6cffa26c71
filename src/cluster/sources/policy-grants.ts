import { fairLevel, grantNamespace, NAMESPACE_LIMITS, NO_LIMITS } from '../../engine/policy/policy-budget.ts';
import { MAX_RECORDS } from './namespace-policies.ts';
import type { Grant, NamespaceLimits } from '../../engine/policy/policy-budget.ts';
import type { NamespacePolicies, PolicyRecords } from './namespace-policies.ts';
import type { PolicyRecord } from './policy-record.ts';

/**
 * The most records without a version in force, of all namespaces together. Beyond it, the namespaces with the most such
 * records are cut to one level: their youngest policies are no longer recorded.
 */
export const MAX_SPARE_RECORDS = 8192;
/** A namespace with unrecorded policies is read again when it has fewer records than this. */
const FEW_RECORDS = 1.25 * NAMESPACE_LIMITS.policies;

/** The result of granting budgets. */
export interface GrantListener {
  /** A policy of a namespace whose grants were worked out again. */
  readonly granted: (record: PolicyRecord, grant: Grant) => void;
  /** The grants of a namespace were worked out again. Called before `granted`. */
  readonly changed: (key: string) => void;
  /** A record is too many and has to be dropped. */
  readonly drop: (record: PolicyRecord) => void;
  /** There is room for policies of a namespace that are not recorded: they have to be read. */
  readonly lacksRecords: (key: string) => void;
  /** Whether the policies of a namespace that are not recorded are being read. */
  readonly isBeingRead: (key: string) => boolean;
}

/**
 * Keeps the policies of one kind within the budgets: of a namespace, of all namespaces together, and of records without
 * a version in force. ClusterProbePolicies belong to the platform team and have no budget.
 */
export class PolicyGrants {
  readonly #records: PolicyRecords;
  readonly #listener: GrantListener;
  readonly #hasBudgets: boolean;
  /** Bytes of memory that all namespaces may take together. */
  readonly #total: number;
  readonly #limits: NamespaceLimits;
  /** Keys of namespaces whose grants have to be worked out again. */
  readonly #unsettled = new Set<string>();
  #level = Infinity;
  /** The most records without a version in force that a namespace may have now. */
  #spareLevel = Infinity;

  constructor(records: PolicyRecords, hasBudgets: boolean, total: number, listener: GrantListener) {
    this.#records = records;
    this.#listener = listener;
    this.#hasBudgets = hasBudgets;
    this.#total = hasBudgets ? total : Infinity;
    this.#limits = hasBudgets ? NAMESPACE_LIMITS : NO_LIMITS;
  }

  /** The total budget, and the most that one namespace may take of it now, in bytes. */
  get total(): { readonly bytes: number; readonly level: number } {
    return { bytes: this.#total, level: this.#level };
  }

  /** A record of the namespace is new, has changed or is gone. */
  noteChange(key: string): void {
    this.#unsettled.add(key);
  }

  /** Whether the youngest record of a namespace is one too many. */
  isTooMany(namespace: NamespacePolicies): boolean {
    return this.#hasBudgets && namespace.records.length > MAX_RECORDS;
  }

  /**
   * Grants every policy what the budgets leave for it. Only namespaces whose grants may have changed are worked out.
   */
  settle(): void {
    do this.#grantAll();
    while (this.#hasBudgets && this.#dropSpare());
    for (const namespace of this.#records.namespaces())
      if (this.#lacksRecords(namespace)) this.#listener.lacksRecords(namespace.key);
  }

  #grantAll(): void {
    for (const key of this.#unsettled) {
      const namespace = this.#records.get(key);
      if (namespace !== undefined) namespace.alone = grantNamespace(namespace.records, Infinity, this.#limits);
    }
    const before = this.#level;
    this.#level = this.#fairLevel();
    for (const namespace of this.#records.namespaces()) {
      const isCut = namespace.alone.use.memory > this.#level;
      const isSame = isCut ? this.#level === before : namespace.granted === namespace.alone;
      if (isSame && !this.#unsettled.has(namespace.key)) continue;
      namespace.granted = isCut ? grantNamespace(namespace.records, this.#level, this.#limits) : namespace.alone;
      this.#listener.changed(namespace.key);
      for (const [index, record] of namespace.records.entries())
        this.#listener.granted(record, namespace.granted.grants[index] ?? record.grant);
      namespace.spare = namespace.granted.grants.filter(({ version }) => version === 'none').length;
    }
    this.#unsettled.clear();
  }

  #fairLevel(): number {
    if (this.#total === Infinity) return Infinity;
    const wanted = Array.from(this.#records.namespaces(), ({ alone }) => alone.use.memory);
    return fairLevel(wanted, this.#total);
  }

  /** Drops records without a version in force that are too many. True when it has dropped any. */
  #dropSpare(): boolean {
    const wanted = Array.from(this.#records.namespaces(), (namespace) => this.#spareWanted(namespace));
    const level = fairLevel(wanted, MAX_SPARE_RECORDS);
    // A power of two, so that a policy that comes or goes elsewhere seldom makes a namespace be read again.
    this.#spareLevel = level === Infinity ? level : Math.max(1, 2 ** Math.floor(Math.log2(level)));
    let isDropped = false;
    for (const namespace of this.#records.namespaces())
      while (namespace.spare > this.#spareLevel) {
        const { youngest } = namespace;
        if (youngest === undefined) break;
        if (youngest.grant.version === 'none') namespace.spare--;
        this.#listener.drop(youngest);
        namespace.hasMore = true;
        isDropped = true;
      }
    return isDropped;
  }

  /** Counts dropped records, too, so that the level is the same after they were dropped. */
  #spareWanted({ key, hasMore, records, spare }: NamespacePolicies): number {
    const mayHaveMore = this.#listener.isBeingRead(key) || (hasMore && records.length < MAX_RECORDS);
    const count = mayHaveMore ? MAX_RECORDS : spare;
    return count === 0 ? 0 : 2 ** Math.ceil(Math.log2(count));
  }

  /**
   * Whether an unrecorded policy could come into force, or get a status. Then it has to be read, because a replica that
   * starts now would record it.
   */
  #lacksRecords({ hasMore, records, alone, granted, spare }: NamespacePolicies): boolean {
    if (!hasMore || records.length >= MAX_RECORDS || spare >= this.#spareLevel) return false;
    const inForce = Math.min(alone.use.policies, granted.use.policies);
    return inForce < this.#limits.policies || records.length < FEW_RECORDS;
  }
}
