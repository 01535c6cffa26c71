import { byAge, NAMESPACE_LIMITS } from '../../engine/policy/policy-budget.ts';
import type { NamespaceGrants } from '../../engine/policy/policy-budget.ts';
import type { PolicyRecord } from './policy-record.ts';
import type { PolicyReference } from './policy-reference.ts';

/**
 * The most policies of one namespace that are recorded. Nothing is kept of the youngest policies beyond, because
 * policies far over budget must not take memory either.
 */
export const MAX_RECORDS = 1.5 * NAMESPACE_LIMITS.policies;

/** Namespaces with fewer policies are searched without a map, because a map takes as much memory as a policy. */
const FEW = 8;

const NO_GRANTS: NamespaceGrants = { grants: [], use: { policies: 0, bytes: 0, memory: 0 } };

/** The records of one namespace's policies. ClusterProbePolicies are recorded under the namespace ''. */
export class NamespacePolicies {
  /** The namespace's name; '' for policies of the cluster. */
  readonly key: string;
  /** The oldest policy first. */
  records: PolicyRecord[] = [];
  /**
   * Whether there may be policies that are not recorded. Outside of a list, they are younger than all recorded ones.
   */
  hasMore = false;
  /** The share that the policies would get if there were no other namespaces. */
  alone = NO_GRANTS;
  /** The share that the policies get. */
  granted = NO_GRANTS;
  /** How many records have no version in force. */
  spare = 0;
  /** The last report of policies over budget, as a text to compare. */
  reportedOverBudget = '';
  #byName: Map<string, PolicyRecord> | undefined;

  constructor(key: string) {
    this.key = key;
  }

  find(name: string): PolicyRecord | undefined {
    return this.#byName === undefined ? this.records.find((record) => record.name === name) : this.#byName.get(name);
  }

  get youngest(): PolicyRecord | undefined {
    return this.records.at(-1);
  }

  /** Puts a record at the place of its age, or moves it there when its age has changed. */
  insert(record: PolicyRecord): void {
    const { records } = this;
    const known = this.find(record.name);
    if (known !== undefined) records.splice(records.indexOf(known), 1);
    if (this.#byName !== undefined) this.#byName.set(record.name, record);
    else if (records.length >= FEW) this.#byName = new Map([...records, record].map((each) => [each.name, each]));
    let [low, high] = [0, records.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = records[middle];
      if (other !== undefined && byAge(other, record) < 0) low = middle + 1;
      else high = middle;
    }
    // An array that grows in place reserves room for sixteen more elements; most namespaces have few policies.
    if (records.length < FEW) this.records = records.toSpliced(low, 0, record);
    else records.splice(low, 0, record);
  }

  remove(record: PolicyRecord): void {
    this.#byName?.delete(record.name);
    this.records.splice(this.records.indexOf(record), 1);
  }
}

/** The records of all policies of one kind. */
export class PolicyRecords {
  readonly #namespaces = new Map<string, NamespacePolicies>();

  /** The namespaces that have policies, and those that still have something to report. */
  namespaces(): Iterable<NamespacePolicies> {
    return this.#namespaces.values();
  }

  *all(): Generator<PolicyRecord, void, undefined> {
    for (const { records } of this.#namespaces.values()) yield* [...records];
  }

  get(key: string): NamespacePolicies | undefined {
    return this.#namespaces.get(key);
  }

  getOrCreate(key: string): NamespacePolicies {
    const known = this.#namespaces.get(key);
    if (known !== undefined) return known;
    const created = new NamespacePolicies(key);
    this.#namespaces.set(key, created);
    return created;
  }

  find({ namespace = '', name }: Pick<PolicyReference, 'namespace' | 'name'>): PolicyRecord | undefined {
    return this.#namespaces.get(namespace)?.find(name);
  }

  /** Forgets a namespace without policies. */
  forgetEmpty(key: string): void {
    const namespace = this.#namespaces.get(key);
    if (namespace?.records.length === 0 && !namespace.hasMore) this.#namespaces.delete(key);
  }
}

/** The key of a record's namespace. No namespace has an empty name, so '' stands for the cluster. */
export function keyOf({ reference }: PolicyRecord): string {
  return reference.namespace ?? '';
}
