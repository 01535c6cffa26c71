import { BUDGETS } from '../../engine/policy/policy-budget.ts';
import { InternedPolicyParts } from './interned-policy-parts.ts';
import { keyOf, PolicyRecords } from './namespace-policies.ts';
import { PoliciesToLoad } from './policies-to-load.ts';
import { PolicyGrants } from './policy-grants.ts';
import { applyGrant, isIncomplete, isOverBudget, OMITTED_METADATA, readRecord } from './policy-record.ts';
import { collectionPath, namespacedCollectionPath, placeOf } from './policy-reference.ts';
import { PolicyReports } from './policy-reports.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { KubernetesObject } from '../client/kubernetes-object.ts';
import type { KindToMirror } from '../client/mirrored-kind.ts';
import type { ObjectName, ProjectionStore } from '../client/projection.ts';
import type { Listing } from '../client/reflector.ts';
import type { Budget } from '../../engine/policy/policy-budget.ts';
import type { PolicyKind, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { Loading, StoreToLoad } from './object-loader.ts';
import type { ToLoad } from './policies-to-load.ts';
import type { PolicyRecord } from './policy-record.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { PolicyMirrorListener } from './policy-reports.ts';
import type { SourceProblem } from './policy-source.ts';

/** How the policies of one kind are doing. */
export interface PolicyCounts {
  /** Policies whose newest version is in force. */
  readonly current: number;
  /** Policies whose newest version is not in force and whose last good version is. */
  readonly lastGood: number;
  /** Policies of which no version is in force, because no version can be read. */
  readonly invalid: number;
  /** Policies whose newest version a budget keeps out of force, by the budget. */
  readonly overBudget: Readonly<Record<Budget, number>>;
  /** Policies of which no version is in force, because a budget has no room. */
  readonly without: number;
  /** The share of all policies of the total budget, in bytes. */
  readonly memory: number;
  /** Problems of policies that cannot be read. */
  readonly problems: number;
}

/**
 * The policies of one kind in a cluster, and which of their versions are in force. When a version cannot be read, or a
 * budget has no room for it, the last good version stays in force, and no other policy is affected. The last good
 * version is known from memory, or after a restart from the object's own status. A policy over budget takes next to no
 * memory: when there is room again, it has to be loaded.
 */
export class PolicyMirror implements ProjectionStore<PolicyRecord>, StoreToLoad<ToLoad> {
  readonly omit = OMITTED_METADATA;
  readonly kind: PolicyKind;
  /** How the kind is mirrored into this store. */
  readonly kindToMirror: KindToMirror<PolicyRecord>;
  readonly #catalogue: CheckCatalogue;
  readonly #listener: PolicyMirrorListener;
  readonly #records = new PolicyRecords();
  readonly #parts = new InternedPolicyParts();
  readonly #toLoad = new PoliciesToLoad();
  readonly #grants: PolicyGrants;
  readonly #reports: PolicyReports;
  /**
   * Records that the list under way has brought; undefined while there is no list. What is loaded meanwhile does not
   * count.
   */
  #listed: Set<PolicyRecord> | undefined;
  #inForce: readonly ProbePolicy[] | undefined;

  /** @param total bytes of memory that the ProbePolicies of all namespaces may take together */
  constructor(catalogue: CheckCatalogue, kind: PolicyKind, listener: PolicyMirrorListener, total = Infinity) {
    this.#catalogue = catalogue;
    this.kind = kind;
    this.#listener = listener;
    this.kindToMirror = {
      path: collectionPath(kind),
      omit: OMITTED_METADATA,
      project: (object, before) => this.#read(object, before),
    };
    this.#grants = new PolicyGrants(this.#records, kind === 'ProbePolicy', total, {
      granted: (record, grant) => {
        if (applyGrant(record, grant)) this.#reports.notePolicy(record);
        if (isIncomplete(record)) this.#toLoad.add(record);
        else this.#toLoad.delete(record);
      },
      changed: (key) => {
        this.#reports.noteNamespace(key);
      },
      drop: (record) => {
        this.#drop(record);
      },
      lacksRecords: (key) => {
        this.#toLoad.addNamespace(key);
      },
      isBeingRead: (key) => this.#toLoad.isBeingRead(key),
    });
    this.#reports = new PolicyReports(this.#records, this.#grants, listener);
  }

  find(name: ObjectName): PolicyRecord | undefined {
    return this.#records.find(name);
  }

  /** An object is new or has changed. An object that is being deleted stays in force until it is gone. */
  put(_name: ObjectName, read: PolicyRecord): void {
    const record = this.#keep(read);
    if (record !== undefined) this.#listed?.add(record);
  }

  delete({ namespace = '', name }: ObjectName): void {
    this.#toLoad.noteDeleted(namespace, name);
    const record = this.#records.find({ namespace, name });
    if (record !== undefined) this.#drop(record);
  }

  /**
   * Keeps what is recorded within the budgets, from page to page. What is in force changes only at the end of a list.
   */
  settle(): void {
    this.#grants.settle();
    // During a list, objects that are gone still count.
    if (this.#listed !== undefined || !this.#reports.report()) return;
    this.#inForce = undefined;
    this.#listener.changed();
  }

  startList(): void {
    for (const namespace of this.#records.namespaces()) namespace.hasMore = false;
    this.#listed = new Set();
  }

  endList(): void {
    for (const record of this.#records.all()) if (this.#listed?.has(record) === false) this.#drop(record);
    this.#listed = undefined;
    this.settle();
  }

  /** The objects to load. An object is returned again only after a change, or after it was put back. */
  takeIncomplete(): ToLoad | undefined {
    const what = this.#toLoad.take();
    if (what !== undefined && 'namespace' in what) this.#noteMore(what.namespace, false);
    return what;
  }

  /** Puts back the taken objects that could not be loaded. */
  putBack(what: ToLoad): void {
    if ('namespace' in what) {
      this.#toLoad.endReading(what.namespace);
      this.#noteMore(what.namespace, true);
      this.#toLoad.addNamespace(what.namespace);
      return;
    }
    const record = this.#records.find(what.policy);
    if (record !== undefined && isIncomplete(record)) this.#toLoad.add(record);
  }

  loading(what: ToLoad): Loading {
    const { kind } = this;
    if ('namespace' in what)
      return { path: namespacedCollectionPath(kind, what.namespace), listing: this.namespaceListing(what.namespace) };
    const { namespace, name } = what.policy;
    return {
      path: namespace === undefined ? collectionPath(kind) : namespacedCollectionPath(kind, namespace),
      name,
      listing: {
        page: ([object]) => {
          if (object !== undefined) this.load(what.policy, object);
        },
        // A policy that is gone is left to the watch.
        end: () => undefined,
      },
    };
  }

  /** A policy was loaded. Another version than the recorded one is left to the watch. */
  load(reference: PolicyReference, object: KubernetesObject): void {
    const record = this.#records.find(reference);
    const { uid, generation } = object.metadata;
    if (record === undefined || uid !== record.uid || generation !== record.generation) return;
    // A last good version that is in neither memory nor status is lost.
    if (record.lastGood?.content === undefined) record.lastGood = undefined;
    this.#keep(this.#read(object, record));
    this.settle();
  }

  /** Takes the policies of a namespace that were not recorded, page by page. The watch is newer than these pages. */
  namespaceListing(key: string): Listing {
    return {
      page: (objects) => {
        for (const object of objects) {
          const name = { namespace: key, name: object.metadata.name };
          const isKnown = this.#records.find(name) !== undefined;
          if (!isKnown && this.#toLoad.isToKeep(key, name.name)) this.#keep(this.#read(object, undefined));
        }
        this.settle();
      },
      end: () => {
        this.#toLoad.endReading(key);
        this.#reports.noteNamespace(key);
        this.settle();
      },
    };
  }

  /** The policies in force. */
  policies(): readonly ProbePolicy[] {
    this.#inForce ??= [...this.#records.all()].flatMap(({ inForce }) => inForce ?? []);
    return this.#inForce;
  }

  /** The first problems of policies that cannot be read. */
  problems(most: number): SourceProblem[] {
    const problems: SourceProblem[] = [];
    for (const record of this.#records.all()) {
      if (problems.length >= most) break;
      for (const message of record.problems.shown) problems.push({ place: placeOf(record.reference), message });
    }
    return problems.slice(0, most);
  }

  counts(): PolicyCounts {
    let [current, lastGood, invalid, without, memory, problems] = [0, 0, 0, 0, 0, 0];
    const overBudget = Object.fromEntries(BUDGETS.map((budget) => [budget, 0])) as Record<Budget, number>;
    for (const record of this.#records.all()) {
      const { version, exceeded } = record.grant;
      if (exceeded !== undefined && isOverBudget(record)) overBudget[exceeded]++;
      if (version === 'newest') current++;
      else if (version === 'lastGood') lastGood++;
      else if (version === 'problems') invalid++;
      else without++;
      problems += record.problems.count;
    }
    if (this.kind === 'ProbePolicy') for (const { granted } of this.#records.namespaces()) memory += granted.use.memory;
    return { current, lastGood, invalid, without, overBudget, memory, problems };
  }

  #read(object: KubernetesObject, before: PolicyRecord | undefined): PolicyRecord {
    const { namespace, name } = object.metadata;
    // One string for all policies of a namespace: each object brings a string of its own.
    const known = namespace === undefined ? undefined : (this.#records.get(namespace)?.key ?? namespace);
    const reference = before?.reference ?? { kind: this.kind, namespace: known, name };
    return readRecord(this.#catalogue, reference, object, before, this.#parts);
  }

  /** Undefined when the policy is not recorded, because older policies fill what a namespace may have. */
  #keep(read: PolicyRecord): PolicyRecord | undefined {
    const namespace = this.#records.getOrCreate(keyOf(read));
    const before = namespace.find(read.name);
    const isPlaced = before?.created !== read.created;
    const record = before === undefined ? read : Object.assign(before, read);
    this.#grants.noteChange(namespace.key);
    this.#reports.notePolicy(record);
    if (isPlaced) namespace.insert(record);
    const { youngest } = namespace;
    // A policy that is not recorded may be older than this one, and then has to be read first.
    const isTooYoung = this.kind === 'ProbePolicy' && isPlaced && namespace.hasMore && youngest === record;
    if (youngest === undefined || !(isTooYoung || this.#grants.isTooMany(namespace))) return record;
    namespace.hasMore = true;
    this.#drop(youngest);
    return youngest === record ? undefined : record;
  }

  #noteMore(key: string, hasMore: boolean): void {
    const namespace = this.#records.get(key);
    if (namespace !== undefined) namespace.hasMore = hasMore;
  }

  #drop(record: PolicyRecord): void {
    const namespace = this.#records.getOrCreate(keyOf(record));
    namespace.remove(record);
    this.#grants.noteChange(namespace.key);
    this.#toLoad.delete(record);
    this.#reports.forget(record);
  }
}
