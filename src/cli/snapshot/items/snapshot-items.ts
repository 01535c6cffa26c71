import { compareText } from '../../../base/text/cut.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { STARTUP_PROFILE_KIND } from '../../../engine/facts/startup-profile.ts';
import { ANNOTATION_PREFIX } from '../../../engine/policy/annotations.ts';
import { workloadKindOfManifest, MIRROR_POD_ANNOTATION, podTemplatesOf } from '../../../engine/workload/kinds.ts';
import type { WorkloadKind } from '../../../engine/workload/kinds.ts';
import { bare, listPart, objectPart, pick, scalar, scalars, declaredPart, type ItemPart, type Parts } from './parts.ts';
import { ISTIO_ANNOTATIONS } from '../../../engine/checks/mesh-rewrite.ts';
import { peerServiceIn } from '../../../engine/checks/readiness-deadlock.ts';
import type { ServiceDigest } from '../../../engine/facts/services.ts';
import { readService } from '../../../engine/facts/read-service.ts';
import { namesOf, workloadNameOf } from '../../../engine/workload/workload-of-pod.ts';
import type { Container } from '../../../engine/workload/pod.ts';
import { misplacedProbes, unknownProbeFields } from '../../../engine/checks/lib/unknown-fields.ts';
import { CONTAINER_LISTS } from '../../../engine/probe/api-defaults.ts';
import { PROBE_TYPE } from '../../../engine/probe/api-schema.ts';
import { PROBE_KINDS } from '../../../engine/probe/probe.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../../../engine/workload/main-container.ts';
import { containerPart } from './container.ts';
import { readPods } from '../../../engine/workload/read-pod.ts';
import { MESH_PROXIES } from '../../../engine/workload/mesh.ts';
import type { FieldPath } from '../../../base/json/field-path.ts';

interface SnapshotSettings {
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  /** Returns the part of a report that an observer wrote. Undefined for other objects. Absent = no reports. */
  readonly reportPart?: (object: JsonObject) => JsonObject | undefined;
}

/**
 * Returns the parts of objects that verdicts depend on: workloads, policies and our other kinds, Namespaces and
 * Services. Reports about live Pods are kept too. Other objects are left out. The same objects in another order give
 * the same items.
 */
export function snapshotItems(objects: readonly JsonObject[], settings: SnapshotSettings): readonly JsonObject[] {
  const commands = dollarTexts(objects.filter(isOfProbewright).map((object) => member(object, 'spec')));
  const services = headlessServicesOf(objects, settings.namespace);
  const items = objects
    .map((object) => itemOf(object, settings, commands, services))
    .filter((item) => item !== undefined);
  const keyed = items.map((item) => ({ item, key: sortKey(item) }));
  // Two objects with one name are rare. Their texts are made only to give them an order.
  const inOrder = keyed.toSorted(
    (a, b) => compareText(a.key, b.key) || compareText(JSON.stringify(a.item), JSON.stringify(b.item)),
  );
  return inOrder.map(({ item }) => item);
}

/** The Services of each namespace whose names lead to ready Pods only. */
function headlessServicesOf(objects: readonly JsonObject[], namespace: string): ReadonlyMap<string, ServiceDigest[]> {
  const placed = objects.flatMap((object) => {
    const digest = member(object, 'kind') === 'Service' ? readService(object) : undefined;
    return digest?.namesReadyPods === true ? [{ digest, at: namesOf(object).namespace ?? namespace }] : [];
  });
  const grouped = Map.groupBy(placed, ({ at }) => at);
  return new Map(Array.from(grouped, ([at, services]) => [at, services.map(({ digest }) => digest)]));
}

function itemOf(
  object: JsonObject,
  settings: SnapshotSettings,
  commands: readonly string[],
  services: ReadonlyMap<string, readonly ServiceDigest[]>,
): JsonObject | undefined {
  const workloadKind = workloadKindOfManifest(object, settings.kinds);
  const named = (item: JsonObject): JsonObject => withNamespace(item, settings.namespace);
  const { namespace = settings.namespace } = namesOf(object);
  if (workloadKind !== undefined)
    return named(workloadPart(object, workloadKind, commands, { namespace, services: services.get(namespace) ?? [] }));
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

function always(parts: Parts): ItemPart {
  return (value) => pick(isJsonObject(value) ? value : {}, parts);
}

function objectOnly(part: (object: JsonObject) => JsonObject): ItemPart {
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

const SERVICE: Parts = {
  ...TYPE,
  metadata: NAME,
  spec: always({
    ...scalars('type', 'publishNotReadyAddresses'),
    clusterIP: (value) => (value === 'None' ? value : undefined),
    selector: objectOnly((selector) => pick(selector, scalars(...Object.keys(selector)))),
    ports: listPart(objectPart(scalars('name', 'protocol', 'port', 'targetPort', 'appProtocol'))),
  }),
};

/** The texts with a dollar sign: the words of commands that refer to variables. */
function dollarTexts(value: unknown): readonly string[] {
  const values = [value];
  // The loop also visits what is added meanwhile.
  for (const each of values)
    if (typeof each === 'object' && each !== null) for (const below of Object.values(each)) values.push(below);
  return values.filter((each) => typeof each === 'string' && each.includes('$')) as string[];
}

const METADATA: Parts = {
  ...scalars('name', 'generateName', 'namespace', 'deletionTimestamp'),
  ownerReferences: listPart(objectPart(scalars('controller'))),
};

/** Fields of a workload's spec that checks read beside the Pod template. */
const SPEC: Parts = {
  ...scalars('replicas', 'parallelism', 'progressDeadlineSeconds', 'minReadySeconds', 'serviceName'),
  strategy: objectPart(scalars('type')),
};
const POD_SPEC = scalars('restartPolicy', 'terminationGracePeriodSeconds', 'hostNetwork');

/** Annotations of others whose values count. */
const KEPT: ReadonlySet<string> = new Set([DEFAULT_CONTAINER_ANNOTATION, ...ISTIO_ANNOTATIONS]);

/** Annotations of others of which only the presence matters. */
const PRESENT_OR_NOT: ReadonlySet<string> = new Set([
  ...Array.from(MESH_PROXIES.values(), ({ statusAnnotation }) => statusAnnotation),
  MIRROR_POD_ANNOTATION,
]);

/**
 * Returns the part of a workload that verdicts depend on: names, numbers of the workload, and the Pod templates. Every
 * field is named here, so a field that nobody knows never leaves.
 *
 * @param commands words of commands that policies give to probes
 * @param around the namespace, and its Services whose names lead to ready Pods only
 */
export function workloadPart(
  object: JsonObject,
  kind: WorkloadKind,
  commands: readonly string[],
  around: { readonly namespace: string; readonly services: readonly ServiceDigest[] } = { namespace: '', services: [] },
): JsonObject {
  const spec = objectMember(object, 'spec');
  const part: Record<string, unknown> = {
    ...pick(object, scalars('apiVersion', 'kind')),
    metadata: pick(objectMember(object, 'metadata') ?? {}, METADATA),
    ...(spec !== undefined && { spec: pick(spec, SPEC) }),
  };
  const own = workloadNameOf(object, kind, false)?.name;
  for (const { template, path, containers, labels } of readPods(podTemplatesOf(object, kind), kind)) {
    const names = around.services.filter((service) => service.selectsPods(labels)).map(({ name }) => name);
    const peers = (container: Container): string | undefined => {
      const service = peerServiceIn(container, names, around.namespace, own);
      return service && `${service}.${around.namespace}`;
    };
    const lists = CONTAINER_LISTS.map((list) => {
      const inList = new Map(containers.filter((one) => one.list === list).map((one) => [one.index, one]));
      const ofContainer: ItemPart = (each, index) => {
        const container = inList.get(index);
        return isJsonObject(each) && container ? containerPart(each, container, commands, peers) : bare(each, 0);
      };
      return [list, (value: unknown) => (value === undefined ? undefined : listPart(ofContainer)(value, 0))] as const;
    });
    const owner = ownerAt(part, object, path);
    owner['metadata'] = {
      ...(isJsonObject(owner['metadata']) ? owner['metadata'] : {}),
      ...templateMetadata(objectMember(template, 'metadata') ?? {}),
    };
    owner['spec'] = {
      ...(isJsonObject(owner['spec']) ? owner['spec'] : {}),
      ...pick(objectMember(template, 'spec') ?? {}, { ...POD_SPEC, ...Object.fromEntries(lists) }),
    };
  }
  placeStrayFields(part, object, kind);
  return part;
}

/**
 * Returns the part at a path, and makes the parts on the way. Elements of lists keep their places and names, because a
 * template is named by its path.
 */
function ownerAt(part: Record<string, unknown>, object: JsonObject, path: FieldPath): Record<string, unknown> {
  let owner = part;
  let source: unknown = object;
  for (const step of path) {
    source = memberAt(source, step);
    owner = (owner[step] ??= emptyPart(source, 0)) as Record<string, unknown>;
  }
  return owner;
}

const emptyPart: ItemPart = (value) =>
  Array.isArray(value) ? (value as unknown[]).map(emptyPart) : objectPart({ name: scalar })(value, 0);

function templateMetadata(metadata: JsonObject): JsonObject {
  const labels = stringEntries(member(metadata, 'labels'));
  const annotations = stringEntries(member(metadata, 'annotations')).flatMap(([name, value]) => {
    if (name.startsWith(ANNOTATION_PREFIX) || KEPT.has(name)) return [[name, value] as const];
    return PRESENT_OR_NOT.has(name) ? [[name, ''] as const] : [];
  });
  return {
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

function stringEntries(map: unknown): readonly (readonly [string, string])[] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/**
 * Adds misspelt and misplaced fields of probes, because check reports them. Their values are kept only where they are
 * numbers or probes. A manifest has such fields; an object of a cluster rarely does.
 */
function placeStrayFields(part: Record<string, unknown>, object: JsonObject, kind: WorkloadKind): void {
  for (const placed of podTemplatesOf(object, kind)) {
    const podSpec = objectMember(placed.template, 'spec') ?? {};
    const strays = [...unknownProbeFields(podSpec, [...placed.path, 'spec']), ...misplacedProbes(object, kind, placed)];
    for (const { path } of strays) place(part, object, path);
  }
}

/** Copies the value at the path, with empty parts on the way. A list whose elements have moved gets no value. */
function place(part: Record<string, unknown>, object: JsonObject, path: FieldPath): void {
  let target: unknown = part;
  let source: unknown = object;
  for (const [at, step] of path.entries()) {
    const below = memberAt(source, step);
    if (!isContainer(target) || (Array.isArray(source) && (target as unknown[]).length !== source.length)) return;
    const own = target as Record<string | number, unknown>;
    if (at === path.length - 1) define(own, step, strayValue(path, below));
    else if (!isContainer(memberAt(target, step)))
      define(own, step, Array.isArray(below) ? (below as unknown[]).map(bare) : {});
    target = memberAt(target, step);
    source = below;
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function memberAt(value: unknown, step: string | number): unknown {
  if (Array.isArray(value)) return (value as unknown[])[Number(step)];
  return isJsonObject(value) ? member(value, String(step)) : undefined;
}

/** A key such as __proto__ becomes an own member. */
function define(owner: Record<string | number, unknown>, step: string | number, value: unknown): void {
  Object.defineProperty(owner, step, { value, enumerable: true, configurable: true, writable: true });
}

/** Fields of a container that a wrong indentation puts into a probe. Their values are the application's. */
const OF_CONTAINER: ReadonlySet<unknown> = new Set(['args', 'env', 'envFrom', 'image', 'volumeMounts']);

/** Texts are kept inside a probe only: a probe leaves as a whole. */
function strayValue(path: FieldPath, value: unknown): unknown {
  if (isJsonObject(value)) return declaredPart(PROBE_TYPE)(value, 0);
  if (typeof value === 'number') return value;
  const key = path.at(-1);
  const isInProbe = path.slice(0, -1).some((step) => (PROBE_KINDS as readonly unknown[]).includes(step));
  if (!isInProbe || OF_CONTAINER.has(key)) return bare(value, 0);
  return key === 'command' && Array.isArray(value) ? (value as unknown[]).map(scalar) : scalar(value, 0);
}
