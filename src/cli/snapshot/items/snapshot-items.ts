import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { STARTUP_PROFILE_KIND } from '../../../engine/facts/startup-profile.ts';
import { ANNOTATION_PREFIX } from '../../../engine/policy/annotations.ts';
import { workloadKindOfManifest, type WorkloadKind } from '../../../engine/workload/kinds.ts';
import { stringEntries, workloadPart } from './workload-part.ts';
import { bare, listPart, objectPart, pick, scalar, scalars, type Part, type Parts } from './parts.ts';

interface SnapshotSettings {
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  /** Returns the part of a report that an observer wrote. Undefined for other objects. Absent = no reports. */
  readonly reportPart?: ((object: JsonObject) => JsonObject | undefined) | undefined;
}

/**
 * Returns the parts of objects that verdicts depend on: workloads, policies and our other kinds, Namespaces and
 * Services. Reports about live Pods are kept too. Other objects are left out. The same objects in another order give
 * the same items.
 */
export function snapshotItems(objects: readonly JsonObject[], settings: SnapshotSettings): readonly JsonObject[] {
  const commands = objects.flatMap((object) => (isOfProbewright(object) ? dollarTexts(member(object, 'spec')) : []));
  const items = objects.map((object) => itemOf(object, settings, commands)).filter((item) => item !== undefined);
  const keyed = items.map((item) => ({ item, key: sortKey(item) }));
  // Two objects with one name are rare. Their texts are made only to give them an order.
  const inOrder = keyed.toSorted(
    (a, b) => compare(a.key, b.key) || compare(JSON.stringify(a.item), JSON.stringify(b.item)),
  );
  return inOrder.map(({ item }) => item);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function itemOf(object: JsonObject, settings: SnapshotSettings, commands: readonly string[]): JsonObject | undefined {
  const workloadKind = workloadKindOfManifest(object, settings.kinds);
  const named = (item: JsonObject): JsonObject => withNamespace(item, settings.namespace);
  if (workloadKind !== undefined) return named(workloadPart(object, workloadKind, commands));
  const kind = member(object, 'kind');
  if (isOfProbewright(object)) {
    if (kind === STARTUP_PROFILE_KIND) return named(pick(object, STARTUP_PROFILE));
    const policy = pick(object, POLICY);
    return typeof kind === 'string' && kind.startsWith('Cluster') ? policy : named(policy);
  }
  if (member(object, 'apiVersion') !== 'v1') return settings.reportPart?.(object);
  if (kind === 'Namespace') return pick(object, NAMESPACE);
  return kind === 'Service' ? named(pick(object, SERVICE)) : undefined;
}

function isOfProbewright(object: JsonObject): boolean {
  return stringMember(object, 'apiVersion')?.startsWith(ANNOTATION_PREFIX) === true;
}

/** The order of kinds: what others depend on comes first. */
const FIRST_KINDS = ['Namespace', 'ClusterProbePolicy', 'ProbePolicy', 'ProbeException', 'StartupProfile', 'Service'];

function sortKey(item: JsonObject): string {
  const metadata = objectMember(item, 'metadata') ?? {};
  const kind = String(member(item, 'kind'));
  const version = String(member(item, 'apiVersion'));
  const rank = version.includes('/') && !isOfProbewright(item) ? -1 : FIRST_KINDS.indexOf(kind);
  const parts = [metadata['namespace'], kind, version, metadata['name'] ?? metadata['generateName']].map(String);
  return [rank < 0 ? FIRST_KINDS.length : rank, ...parts].join('\0');
}

function withNamespace(item: JsonObject, namespace: string): JsonObject {
  const metadata = objectMember(item, 'metadata') ?? {};
  return stringMember(metadata, 'namespace') === undefined ? { ...item, metadata: { ...metadata, namespace } } : item;
}

function always(parts: Parts): Part {
  return (value) => pick(isJsonObject(value) ? value : {}, parts);
}

/** An object; a value of another type does not leave. */
function objectOnly(part: (object: JsonObject) => JsonObject): Part {
  return (value) => (isJsonObject(value) ? part(value) : undefined);
}

const TYPE = scalars('apiVersion', 'kind');
const NAME = always(scalars('name', 'namespace'));

/** A policy, or another object of our own kinds. The parser of policies reports what is wrong in it. */
const POLICY: Parts = { ...TYPE, metadata: NAME, spec: (value) => value };

const SAMPLE = scalars('seconds', 'within', 'basis', 'restart', 'at');
const SAMPLES = listPart((sample, index) =>
  isJsonObject(sample) ? { ...pick(sample, SAMPLE), id: String(index) } : bare(sample, 0),
);
const STARTS_OF_CONTAINER = objectPart({
  ...scalars('name', 'censored', 'censoredBoundSeconds', 'censoredAt'),
  samples: (value) => SAMPLES(value ?? [], 0),
});

/** The facts from which start times are learned. Names of nodes and Pods do not leave, not even as hashes. */
const STARTUP_PROFILE: Parts = {
  ...TYPE,
  metadata: NAME,
  status: always({
    workload: always(scalars('apiVersion', 'kind', 'name')),
    containers: (value) => listPart(STARTS_OF_CONTAINER)(value ?? [], 0),
  }),
};

const NAMESPACE: Parts = {
  ...TYPE,
  metadata: always({ name: scalar, labels: objectOnly((labels) => Object.fromEntries(stringEntries(labels))) }),
};

/** The fields of a Service that service-readiness and defaulting read. */
const SERVICE: Parts = {
  ...TYPE,
  metadata: NAME,
  spec: always({
    ...scalars('type', 'publishNotReadyAddresses'),
    selector: objectOnly((selector) => pick(selector, scalars(...Object.keys(selector)))),
    ports: listPart(objectPart(scalars('name', 'protocol', 'port', 'targetPort', 'appProtocol'))),
  }),
};

/** The texts with a dollar sign: the words of commands that refer to variables. */
function dollarTexts(value: unknown): readonly string[] {
  const found: string[] = [];
  const open = [value];
  for (let next = open.pop(); next !== undefined || open.length > 0; next = open.pop()) {
    if (typeof next === 'string') {
      if (next.includes('$')) found.push(next);
    } else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return found;
}
