import { BUDGETS, byAge, fairLevel, grantNamespace, NAMESPACE_LIMITS, NO_LIMITS } from '../policy/policy-budget.ts';
import { placeOf } from './policy-reference.ts';
import { contentInForce, isIncomplete, NO_PROBLEMS, readRecord, withoutContent } from './policy-record.ts';
import { isShown } from './policy-status.ts';
import { SharedParts } from './shared-parts.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { Listing } from '../kubernetes/reflector.ts';
import type { Budget, Grant, NamespaceGrants, NamespaceLimits, NamespaceUse } from '../policy/policy-budget.ts';
import type { PolicyKind, ProbePolicy } from '../policy/probe-policy.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { PolicyRecord, PolicyVersion } from './policy-record.ts';
import type { OverBudget, PolicyVerdict, ShownStatus } from './policy-status.ts';
import type { SourceProblem } from './policy-source.ts';

/** A status that does not say what it should. */
export interface StaleStatus {
  readonly shown: ShownStatus;
  readonly verdict: PolicyVerdict;
  /** The object's resourceVersion, which every change makes another. */
  readonly version: string | undefined;
}

/** Policies of a namespace that a budget keeps out of force. */
export interface NamespaceOverBudget {
  readonly namespace: string | undefined;
  /** How many; 0 = all are within the budgets again. */
  readonly count: number;
  /** The first of them, as `ProbePolicy/apps/web`. */
  readonly first: readonly string[];
  /** What is in force. */
  readonly use: NamespaceUse;
}

/** What a mirror tells. */
export interface PolicyMirrorListener {
  /** Other policies are in force than before. */
  readonly changed: () => void;
  /** The newest version of a policy cannot be used. Told once for each version. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** Other policies of a namespace are over budget than before. */
  readonly overBudget: (change: NamespaceOverBudget) => void;
  /** The status of a policy is not as it should be; undefined when it is, or the policy is gone. Told at every event. */
  readonly status: (policy: PolicyReference, stale: StaleStatus | undefined) => void;
}

/** How the policies of one kind are doing. */
export interface PolicyCounts {
  /** Policies whose newest version is in force. */
  readonly current: number;
  /** Policies whose newest version is not in force and whose last good one is. */
  readonly lastGood: number;
  /** Policies of which no version is in force, as none can be read. */
  readonly invalid: number;
  /** Policies whose newest version a budget keeps out of force, by the budget. */
  readonly overBudget: Readonly<Record<Budget, number>>;
  /** Policies of which no version is in force, as a budget has no room. */
  readonly without: number;
  /** What all policies take of the total budget, in bytes. */
  readonly memory: number;
  /** What is wrong with policies that cannot be read. */
  readonly problems: number;
}

/** The policies of one namespace; those of the cluster are one, too. */
interface NamespaceRecords {
  readonly key: string;
  /** The oldest first. */
  records: PolicyRecord[];
  /** The same by name, once they are many: most namespaces have few, and a map takes as much as a policy. */
  byName: Map<string, PolicyRecord> | undefined;
  /** There may be others that nothing is kept of. Outside of a list, these are younger than all that are kept. */
  hasMore: boolean;
  /** What they would get if there were no other namespaces. */
  alone: NamespaceGrants;
  /** What they get. */
  granted: NamespaceGrants;
  /** How many of the records have no version in force. */
  spare: number;
  /** What was told of those over budget. */
  told: string;
}

/** Something to load. */
export type ToLoad = { readonly policy: PolicyReference } | { readonly namespace: string };

/** Of a namespace's policies beyond these, the youngest, nothing is kept: what is far over budget must not take memory either. */
export const MAX_RECORDS = 1.5 * NAMESPACE_LIMITS.policies;
/**
 * So many policies without a version in force are kept of all namespaces together. Beyond, the namespaces with the most are cut to one level: nothing
 * is kept of what comes after as many such policies, the oldest first.
 */
export const MAX_SPARE_RECORDS = 8192;
/** With fewer, those of which nothing is kept are read again. */
const FEW_RECORDS = 1.25 * NAMESPACE_LIMITS.policies;

const NOTHING: NamespaceGrants = { grants: [], use: { policies: 0, bytes: 0, memory: 0 } };
/** A log line names so many. */
const MAX_NAMED = 5;

/**
 * The policies of one kind in a cluster, as they are in force. A version that cannot be read, or that a budget has no room for, leaves the
 * last good one in force and every other policy alone. What that last good version was is known from memory, or after a restart from the
 * object's own status. What is over budget takes next to no memory, so it is incomplete when there is room again, and has to be loaded.
 */
export class PolicyMirror {
  readonly kind: PolicyKind;
  readonly #listener: PolicyMirrorListener;
  readonly #total: number;
  readonly #limits: NamespaceLimits;
  readonly #namespaces = new Map<string, NamespaceRecords>();
  readonly #parts = new SharedParts();
  /** Namespaces whose budgets have to be worked out again. */
  readonly #unsettled = new Set<string>();
  /** Namespaces, and policies, of which something is to be told. */
  readonly #untoldNamespaces = new Set<string>();
  readonly #untold = new Set<PolicyRecord>();
  /** By namespace; undefined = all of the namespace, of which too little is kept. */
  readonly #incomplete = new Map<string, Set<PolicyRecord | undefined>>();
  /** Names of policies that are gone since their namespace began to be loaded. */
  readonly #gone = new Map<string, Set<string>>();
  /** The most that a namespace may take of the total budget now. */
  #level = Infinity;
  /** The most records without a version in force that a namespace may have now. */
  #spareLevel = Infinity;
  #inForce: readonly ProbePolicy[] | undefined;
  #isOther = false;
  #isListing = false;

  /** @param total bytes of memory that all namespaces may take together; ClusterProbePolicies are the platform's own, and have no budget */
  constructor(kind: PolicyKind, listener: PolicyMirrorListener, total = Infinity) {
    this.kind = kind;
    this.#listener = listener;
    this.#total = kind === 'ProbePolicy' ? total : Infinity;
    this.#limits = kind === 'ProbePolicy' ? NAMESPACE_LIMITS : NO_LIMITS;
  }

  /** Takes a list of all objects. What is in force does not change until its end; what is kept is within the budgets from page to page. */
  listing(): Listing {
    const present = new Set<PolicyRecord | undefined>();
    for (const namespace of this.#namespaces.values()) namespace.hasMore = false;
    this.#isListing = true;
    return {
      page: (objects) => {
        for (const object of objects) present.add(this.#keep(object));
        this.#settle();
      },
      end: () => {
        for (const record of this.#records()) if (!present.has(record)) this.#drop(record);
        this.#isListing = false;
        this.#settle();
        this.#tell();
      },
    };
  }

  /** An object is new or has changed; one that is being deleted stays in force until it is gone. */
  apply(object: KubernetesObject): void {
    this.#keep(object);
    this.#settle();
    this.#tell();
  }

  remove(object: KubernetesObject): void {
    // Also of a known policy: a page that was read before the deletion may still bring it.
    this.#gone.get(object.metadata.namespace ?? '')?.add(object.metadata.name);
    const record = this.#find(this.#reference(object.metadata));
    if (record === undefined) return;
    this.#drop(record);
    this.#settle();
    this.#tell();
  }

  /** What has to be loaded, of each namespace in turn. The same is not given again until something has changed, or it was put back. */
  takeIncomplete(): ToLoad | undefined {
    for (const [key, records] of this.#incomplete) {
      this.#incomplete.delete(key);
      for (const record of records) {
        records.delete(record);
        if (records.size > 0) this.#incomplete.set(key, records);
        if (record !== undefined) return { policy: record.reference };
        this.#gone.set(key, new Set());
        this.#noteMore(key, false);
        return { namespace: key };
      }
    }
    return undefined;
  }

  /** What was taken could not be loaded. */
  putBack(what: ToLoad): void {
    if ('namespace' in what) {
      this.#gone.delete(what.namespace);
      this.#noteMore(what.namespace, true);
      return this.#noteIncomplete(what.namespace, undefined);
    }
    const record = this.#find(what.policy);
    if (record !== undefined && isIncomplete(record)) this.#noteIncomplete(keyOf(record), record);
  }

  /** A policy was loaded. Another version than the known one is left to the watch. */
  load(reference: PolicyReference, object: KubernetesObject): void {
    const record = this.#find(reference);
    const { uid, generation } = object.metadata;
    if (record === undefined || uid !== record.uid || generation !== record.generation) return;
    // What the status does not show either is lost.
    if (record.lastGood?.content === undefined) record.lastGood = undefined;
    this.apply(object);
  }

  /** Takes a namespace of which too little was kept, page by page. What the watch has told meanwhile is newer. */
  namespaceListing(key: string): Listing {
    return {
      page: (objects) => {
        for (const object of objects) {
          const { name } = object.metadata;
          const isKnown = this.#find({ kind: this.kind, namespace: key, name }) !== undefined;
          if (!isKnown && this.#gone.get(key)?.has(name) === false) this.#keep(object);
        }
        this.#settle();
        this.#tell();
      },
      end: () => {
        this.#gone.delete(key);
        this.#settle();
        this.#untoldNamespaces.add(key);
        this.#tell();
      },
    };
  }

  /** The policies in force. */
  policies(): readonly ProbePolicy[] {
    this.#inForce ??= [...this.#records()].flatMap(({ told }) => told ?? []);
    return this.#inForce;
  }

  /** The first problems of policies that cannot be read. */
  problems(most: number): SourceProblem[] {
    const problems: SourceProblem[] = [];
    for (const record of this.#records()) {
      if (problems.length >= most) break;
      for (const message of record.problems.shown) problems.push({ place: placeOf(record.reference), message });
    }
    return problems.slice(0, most);
  }

  counts(): PolicyCounts {
    let [current, lastGood, invalid, without, memory, problems] = [0, 0, 0, 0, 0, 0];
    const overBudget = Object.fromEntries(BUDGETS.map((budget) => [budget, 0])) as Record<Budget, number>;
    for (const record of this.#records()) {
      const { version, exceeded } = record.grant;
      if (exceeded !== undefined && isOverBudget(record)) overBudget[exceeded]++;
      if (version === 'newest') current++;
      else if (version === 'lastGood') lastGood++;
      else if (version === 'problems') invalid++;
      else without++;
      problems += record.problems.count;
    }
    if (this.kind === 'ProbePolicy') for (const { granted } of this.#namespaces.values()) memory += granted.use.memory;
    return { current, lastGood, invalid, without, overBudget, memory, problems };
  }

  *#records(): Generator<PolicyRecord, void, undefined> {
    for (const { records } of this.#namespaces.values()) yield* [...records];
  }

  #find({ namespace = '', name }: PolicyReference): PolicyRecord | undefined {
    const known = this.#namespaces.get(namespace);
    return known && recordOf(known, name);
  }

  /** Undefined when nothing is kept of the object. */
  #keep(object: KubernetesObject): PolicyRecord | undefined {
    const { metadata } = object;
    const namespace = this.#namespaceAt(metadata.namespace ?? '');
    const before = recordOf(namespace, metadata.name);
    // The namespace's name is kept once for all of its policies.
    const own = metadata.namespace === undefined ? undefined : namespace.key;
    const reference = before?.reference ?? { kind: this.kind, namespace: own, name: metadata.name };
    const age = before?.created;
    const read = readRecord(reference, object, before, this.#parts);
    const record = before === undefined ? read : Object.assign(before, read);
    this.#unsettled.add(namespace.key);
    this.#untold.add(record);
    const isPlaced = age !== read.created;
    if (isPlaced) insert(namespace, record);
    if (this.kind !== 'ProbePolicy') return record;
    const youngest = namespace.records.at(-1);
    // It may be younger than one that nothing is kept of, which then has to be read first.
    const isTooYoung = isPlaced && namespace.hasMore && youngest === record;
    if (youngest === undefined || !(isTooYoung || namespace.records.length > MAX_RECORDS)) return record;
    namespace.hasMore = true;
    this.#drop(youngest);
    return youngest === record ? undefined : record;
  }

  #noteMore(key: string, hasMore: boolean): void {
    const namespace = this.#namespaces.get(key);
    if (namespace !== undefined) namespace.hasMore = hasMore;
  }

  /** Whether a policy of which nothing is kept could come into force, or get a status: a replica that starts now would know of it. */
  #lacksRecords({ hasMore, records, alone, granted, spare }: NamespaceRecords): boolean {
    if (!hasMore || records.length >= MAX_RECORDS || spare >= this.#spareLevel) return false;
    const inForce = Math.min(alone.use.policies, granted.use.policies);
    return inForce < this.#limits.policies || records.length < FEW_RECORDS;
  }

  #drop(record: PolicyRecord): void {
    const namespace = this.#namespaceAt(keyOf(record));
    namespace.byName?.delete(record.name);
    namespace.records.splice(namespace.records.indexOf(record), 1);
    this.#unsettled.add(namespace.key);
    this.#untold.delete(record);
    this.#incomplete.get(namespace.key)?.delete(record);
    if (record.told !== undefined) this.#isOther = true;
    this.#listener.status(record.reference, undefined);
  }

  #namespaceAt(key: string): NamespaceRecords {
    const known = this.#namespaces.get(key);
    if (known !== undefined) return known;
    const created = {
      key,
      byName: undefined,
      records: [],
      hasMore: false,
      alone: NOTHING,
      granted: NOTHING,
      spare: 0,
      told: '',
    };
    this.#namespaces.set(key, created);
    return created;
  }

  /** Gives every policy what the budgets leave for it, and drops the rest. Only what may have changed is worked out. */
  #settle(): void {
    do this.#settleGrants();
    while (this.kind === 'ProbePolicy' && this.#dropSpare());
    for (const [key, namespace] of this.#namespaces)
      if (this.#lacksRecords(namespace)) this.#noteIncomplete(key, undefined);
  }

  #settleGrants(): void {
    for (const key of this.#unsettled) {
      const namespace = this.#namespaces.get(key);
      if (namespace === undefined) continue;
      namespace.alone = grantNamespace(namespace.records, Infinity, this.#limits);
    }
    const before = this.#level;
    this.#level = this.#fairLevel();
    for (const [key, namespace] of this.#namespaces) {
      const isCut = namespace.alone.use.memory > this.#level;
      const isSame = isCut ? this.#level === before : namespace.granted === namespace.alone;
      if (isSame && !this.#unsettled.has(key)) continue;
      namespace.granted = isCut ? grantNamespace(namespace.records, this.#level, this.#limits) : namespace.alone;
      this.#untoldNamespaces.add(key);
      for (const [index, record] of namespace.records.entries())
        this.#grant(record, namespace.granted.grants[index] ?? record.grant);
      namespace.spare = namespace.granted.grants.filter(({ version }) => version === 'none').length;
    }
    this.#unsettled.clear();
  }

  /** Keeps the records without a version in force few. True when it has dropped any. */
  #dropSpare(): boolean {
    const wanted = Array.from(this.#namespaces.values(), (namespace) => this.#spareWanted(namespace));
    const level = fairLevel(wanted, MAX_SPARE_RECORDS);
    // Powers of two: namespaces must not be read again whenever a policy elsewhere comes or goes.
    this.#spareLevel = level === Infinity ? level : Math.max(1, 2 ** Math.floor(Math.log2(level)));
    let isDropped = false;
    for (const namespace of this.#namespaces.values())
      while (namespace.spare > this.#spareLevel) {
        const youngest = namespace.records.at(-1);
        if (youngest === undefined) break;
        if (youngest.grant.version === 'none') namespace.spare--;
        this.#drop(youngest);
        namespace.hasMore = true;
        isDropped = true;
      }
    return isDropped;
  }

  /** As if nothing had been dropped, so that the level stays the same afterwards. */
  #spareWanted({ key, hasMore, records, spare }: NamespaceRecords): number {
    const mayHaveMore = this.#gone.has(key) || (hasMore && records.length < MAX_RECORDS);
    const count = mayHaveMore ? MAX_RECORDS : spare;
    return count === 0 ? 0 : 2 ** Math.ceil(Math.log2(count));
  }

  #fairLevel(): number {
    if (this.#total === Infinity) return Infinity;
    const wanted = Array.from(this.#namespaces.values(), ({ alone }) => alone.use.memory);
    return fairLevel(wanted, this.#total);
  }

  #grant(record: PolicyRecord, grant: Grant): void {
    const { version, exceeded } = record.grant;
    if (version !== grant.version || exceeded !== grant.exceeded) this.#untold.add(record);
    record.grant = grant;
    if (grant.version !== 'newest') record.newest = withoutContent(record.newest);
    if (grant.version === 'newest') {
      // Until the newest version is loaded, the last good one stays in force.
      if (record.newest?.content !== undefined) record.lastGood = undefined;
    } else if (grant.version !== 'lastGood') record.lastGood = stillShown(record);
    if (grant.version === 'none') record.problems = NO_PROBLEMS;
    const key = keyOf(record);
    if (!isIncomplete(record)) this.#incomplete.get(key)?.delete(record);
    else this.#noteIncomplete(key, record);
  }

  #noteIncomplete(key: string, record: PolicyRecord | undefined): void {
    this.#incomplete.set(key, (this.#incomplete.get(key) ?? new Set()).add(record));
  }

  /** Tells what came of what has changed. While a list is under way, objects that are gone still count, so nothing is told until its end. */
  #tell(): void {
    if (this.#isListing) return;
    for (const record of this.#untold) this.#tellOf(record);
    this.#untold.clear();
    for (const key of this.#untoldNamespaces) this.#tellOverBudget(key);
    this.#untoldNamespaces.clear();
    if (!this.#isOther) return;
    this.#isOther = false;
    this.#inForce = undefined;
    this.#listener.changed();
  }

  #tellOf(record: PolicyRecord): void {
    const { reference, generation, shown, problems, resourceVersion: version } = record;
    const good = contentInForce(record);
    if (good?.content.policy !== record.told) this.#isOther = true;
    record.told = good?.content.policy;
    if (isIncomplete(record)) return;
    const place = placeOf(reference);
    if (problems.count > 0 && !record.areProblemsTold)
      this.#listener.failed(problems.shown.map((message) => ({ place, message })));
    record.areProblemsTold = true;
    const verdict: PolicyVerdict = {
      generation: generation ?? 0,
      problems: problems.shown,
      problemCount: problems.count,
      overBudget: this.#overBudget(record),
      good: good && { generation: good.generation, spec: good.content.spec },
    };
    this.#listener.status(reference, isShown(shown, verdict) ? undefined : { shown, verdict, version });
  }

  #overBudget(record: PolicyRecord): OverBudget | undefined {
    const { grant, newest } = record;
    if (grant.exceeded === undefined || !isOverBudget(record)) return undefined;
    const { use } = this.#namespaceAt(keyOf(record)).granted;
    return { budget: grant.exceeded, bytes: newest?.bytes, use, total: { bytes: this.#total, level: this.#level } };
  }

  #tellOverBudget(key: string): void {
    const namespace = this.#namespaces.get(key);
    if (namespace === undefined) return;
    let count = 0;
    const first: string[] = [];
    for (const record of namespace.records) {
      if (!isOverBudget(record)) continue;
      if (count++ < MAX_NAMED) first.push(placeOf(record.reference));
    }
    const told = count === 0 ? '' : `${count} ${first.join(' ')}`;
    if (told !== namespace.told)
      this.#listener.overBudget({ namespace: key === '' ? undefined : key, count, first, use: namespace.granted.use });
    namespace.told = told;
    if (namespace.records.length === 0 && !namespace.hasMore) this.#namespaces.delete(key);
  }

  #reference({ name, namespace }: KubernetesObject['metadata']): PolicyReference {
    return { kind: this.kind, namespace, name };
  }
}

/** Policies of the cluster have no namespace, and no namespace is called nothing. */
function keyOf({ reference }: PolicyRecord): string {
  return reference.namespace ?? '';
}

/** So many are looked through as fast as a map. */
const FEW = 8;

function recordOf({ byName, records }: NamespaceRecords, name: string): PolicyRecord | undefined {
  return byName === undefined ? records.find((record) => record.name === name) : byName.get(name);
}

/** Puts a record where its age says, or there again when that has changed. */
function insert(namespace: NamespaceRecords, record: PolicyRecord): void {
  const { records } = namespace;
  const known = recordOf(namespace, record.name);
  if (known !== undefined) records.splice(records.indexOf(known), 1);
  if (namespace.byName !== undefined) namespace.byName.set(record.name, record);
  else if (records.length >= FEW) namespace.byName = new Map([...records, record].map((each) => [each.name, each]));
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = records[middle];
    if (other !== undefined && byAge(other, record) < 0) low = middle + 1;
    else high = middle;
  }
  // A short list that grows in place takes room for sixteen more.
  if (records.length < FEW) namespace.records = records.toSpliced(low, 0, record);
  else records.splice(low, 0, record);
}

/** True when a budget keeps the newest version out of force, and not what is wrong with it. */
function isOverBudget({ grant, problems }: PolicyRecord): boolean {
  return grant.exceeded !== undefined && problems.count === 0;
}

/** A last good version without room is dropped; one that the status shows can be loaded again. */
function stillShown({ lastGood, shown }: PolicyRecord): PolicyVersion | undefined {
  return lastGood?.generation === shown.lastGood?.generation ? withoutContent(lastGood) : undefined;
}
