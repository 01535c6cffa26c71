import { compareText } from '../../../base/text/cut.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../../base/json/json-value.ts';
import { STARTUP_PROFILE_KIND } from '../../../engine/facts/startup-profile.ts';
import { withoutDigest } from '../../../engine/command/image.ts';
import { ANNOTATION_PREFIX } from '../../../engine/policy/annotations.ts';
import { workloadKindOfManifest, MIRROR_POD_ANNOTATION, podTemplatesOf } from '../../../engine/workload/kinds.ts';
import type { WorkloadKind } from '../../../engine/workload/kinds.ts';
import { bare, listPart, objectPart, pick, scalar, scalars, declaredPart, type ItemPart, type Parts } from './parts.ts';
import { namesOf } from '../../../engine/workload/workload-of-pod.ts';
import { misplacedProbes, unknownProbeFields } from '../../../engine/checks/lib/unknown-fields.ts';
import { CONTAINER_LISTS } from '../../../engine/probe/api-defaults.ts';
import { PROBE_TYPE } from '../../../engine/probe/api-schema.ts';
import { PROBE_KINDS } from '../../../engine/probe/probe.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../../../engine/workload/main-container.ts';
import { containerPart } from './container.ts';
import { ISTIO_ANNOTATIONS, MESH_PROXIES } from '../../../engine/workload/mesh.ts';
import { valueAt, type FieldPath } from '../../../base/json/field-path.ts';

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
  // They leave anyway, and the address of a peer is made of them.
  const names = new Set([settings.namespace, ...objects.filter(isAddressed).flatMap(namesIn)]);
  const items = objects.map((object) => itemOf(object, settings, names)).filter((item) => item !== undefined);
  const keyed = items.map((item) => ({ item, key: sortKey(item) }));
  // Two objects with one name are rare. Their texts are made only to give them an order.
  const inOrder = keyed.toSorted(
    (a, b) => compareText(a.key, b.key) || compareText(JSON.stringify(a.item), JSON.stringify(b.item)),
  );
  return inOrder.map(({ item }) => item);
}

function itemOf(object: JsonObject, settings: SnapshotSettings, names: ReadonlySet<string>): JsonObject | undefined {
  const workloadKind = workloadKindOfManifest(object, settings.kinds);
  const named = (item: JsonObject): JsonObject => withNamespace(item, settings.namespace);
  if (workloadKind !== undefined) return named(workloadPart(object, workloadKind, names));
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

const SAMPLE: Parts = {
  ...scalars('seconds', 'within', 'basis', 'restart', 'at'),
  // As the workload has it in the snapshot.
  image: (image) => (typeof image === 'string' ? withoutDigest(image) : undefined),
};
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
  metadata: always({ name: scalar, labels: textsOf((_, value) => value) }),
};

const SERVICE: Parts = {
  ...TYPE,
  metadata: NAME,
  spec: always({
    ...scalars('type', 'publishNotReadyAddresses'),
    clusterIP: (value) => (value === 'None' ? value : undefined),
    ipFamilies: listPart(scalar),
    selector: objectOnly((selector) => pick(selector, scalars(...Object.keys(selector)))),
    ports: listPart(objectPart(scalars('name', 'protocol', 'port', 'targetPort', 'appProtocol'))),
  }),
};

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
 * @param names names of Services and namespaces
 */
export function workloadPart(
  object: JsonObject,
  kind: WorkloadKind,
  names: ReadonlySet<string> = new Set(),
): JsonObject {
  const spec = objectMember(object, 'spec');
  let part: unknown = {
    ...pick(object, scalars('apiVersion', 'kind')),
    metadata: pick(objectMember(object, 'metadata') ?? {}, METADATA),
    ...(spec !== undefined && { spec: pick(spec, SPEC) }),
  };
  for (const { template, path } of podTemplatesOf(object, kind)) {
    const podSpec = objectMember(template, 'spec') ?? {};
    const leaving = [...names, ...namesIn(object)];
    const lists = CONTAINER_LISTS.map((list) => {
      const ofContainer = objectOnly((each) => containerPart(each, podSpec, list, leaving));
      const inList = listPart((each, index) => ofContainer(each, index) ?? bare(each, index));
      return [list, (value: unknown) => (value === undefined ? undefined : inList(value, 0))] as const;
    });
    const own = {
      metadata: pick(objectMember(template, 'metadata') ?? {}, TEMPLATE_METADATA),
      spec: pick(podSpec, { ...POD_SPEC, ...Object.fromEntries(lists) }),
    };
    for (const [field, value] of Object.entries(own)) {
      const merged = (above: unknown): unknown => ({ ...(isJsonObject(above) && above), ...value });
      // A template is named by its path.
      part = withPlaced(part, object, [...path, field], merged, objectPart({ name: scalar }));
    }
  }
  return strayPaths(object, kind).reduce(
    (whole, place) => withPlaced(whole, object, place, (_, value) => strayValue(place, value)),
    part,
  ) as JsonObject;
}

/** Objects whose names are addresses. */
const isAddressed = (object: JsonObject): boolean => /^(?:Service|Namespace)$/.test(String(member(object, 'kind')));

function namesIn(object: JsonObject): readonly string[] {
  const { name, namespace } = namesOf(object);
  return [name, namespace].filter((each) => each !== undefined);
}

const TEMPLATE_METADATA: Parts = {
  labels: textsOf((_, value) => value),
  annotations: textsOf((name, value) =>
    name.startsWith(ANNOTATION_PREFIX) || KEPT.has(name) ? value : PRESENT_OR_NOT.has(name) ? '' : undefined,
  ),
};

/** The texts of a map that leave. Undefined without one. */
function textsOf(part: (name: string, value: string) => string | undefined): ItemPart {
  return (map) => {
    const shown = Object.entries(isJsonObject(map) ? map : {}).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? part(name, value) : undefined;
      return text === undefined ? [] : [[name, text] as const];
    });
    return shown.length > 0 ? Object.fromEntries(shown) : undefined;
  };
}

/** The places of misspelt and misplaced fields of probes: check reports them. */
function strayPaths(object: JsonObject, kind: WorkloadKind): readonly FieldPath[] {
  return podTemplatesOf(object, kind).flatMap((placed) => {
    const podSpec = objectMember(placed.template, 'spec') ?? {};
    const strays = [...unknownProbeFields(podSpec, [...placed.path, 'spec']), ...misplacedProbes(object, kind, placed)];
    return strays.map(({ path }) => path);
  });
}

/** The part with a value at a path, and empty parts on the way. A list whose elements have moved stays as it is. */
function withPlaced(
  part: unknown,
  source: unknown,
  [step, ...rest]: FieldPath,
  change: (part: unknown, source: unknown) => unknown,
  empty: ItemPart = bare,
): unknown {
  if (step === undefined) return change(part, source);
  const whole = part ?? (Array.isArray(source) ? (source as unknown[]).map(empty) : {});
  if (Array.isArray(whole) && whole.length !== (source as unknown[]).length) return part;
  const below = withPlaced(valueAt(whole, [step]), valueAt(source, [step]), rest, change, empty);
  // A key such as __proto__ becomes an own member.
  return Array.isArray(whole) ? (whole as unknown[]).with(Number(step), below) : { ...whole, [step]: below };
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
