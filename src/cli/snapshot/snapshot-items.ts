import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { STARTUP_PROFILE_KIND } from '../../engine/facts/startup-profile.ts';
import { ANNOTATION_PREFIX } from '../../engine/policy/annotations.ts';
import { workloadKindOfManifest } from '../../engine/workload/kinds.ts';
import { partOfEach, scalarMembers } from './bare.ts';
import { workloadPart } from './workload-part.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/** How objects become items of a snapshot. */
export interface SnapshotSettings {
  readonly kinds: readonly WorkloadKind[];
  /** The namespace of objects that name no namespace. */
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
  const keyed = items.map((item) => ({ item, key: sortKey(item), text: '' }));
  return keyed.toSorted((a, b) => compare(a.key, b.key) || compare(textOf(a), textOf(b))).map(({ item }) => item);
}

/** Two objects with one name are rare. Their texts are made only to give them an order. */
function textOf(keyed: { readonly item: JsonObject; text: string }): string {
  if (keyed.text === '') keyed.text = JSON.stringify(keyed.item);
  return keyed.text;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function itemOf(object: JsonObject, settings: SnapshotSettings, commands: readonly string[]): JsonObject | undefined {
  const kind = workloadKindOfManifest(object, settings.kinds);
  if (kind !== undefined) return withNamespace(workloadPart(object, kind, commands), settings.namespace);
  if (isOfProbewright(object) && member(object, 'kind') === STARTUP_PROFILE_KIND)
    return withNamespace(startupProfilePart(object), settings.namespace);
  if (isOfProbewright(object)) return policyPart(object, settings.namespace);
  if (member(object, 'apiVersion') !== 'v1') return settings.reportPart?.(object);
  if (member(object, 'kind') === 'Namespace') return namespacePart(object);
  return member(object, 'kind') === 'Service' ? withNamespace(servicePart(object), settings.namespace) : undefined;
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

/** A policy, or another object of our own kinds. The parser of policies reports what is wrong in it. */
function policyPart(object: JsonObject, namespace: string): JsonObject {
  const item = {
    ...scalarMembers(object, ['apiVersion', 'kind']),
    metadata: scalarMembers(objectMember(object, 'metadata') ?? {}, ['name', 'namespace']),
    spec: member(object, 'spec'),
  };
  const isOfCluster = stringMember(object, 'kind')?.startsWith('Cluster') === true;
  return isOfCluster ? item : withNamespace(item, namespace);
}

/** The facts from which start times are learned. Names of nodes and Pods do not leave, not even as hashes. */
function startupProfilePart(object: JsonObject): JsonObject {
  const status = objectMember(object, 'status') ?? {};
  return {
    ...scalarMembers(object, ['apiVersion', 'kind']),
    metadata: scalarMembers(objectMember(object, 'metadata') ?? {}, ['name', 'namespace']),
    status: {
      workload: scalarMembers(objectMember(status, 'workload') ?? {}, ['apiVersion', 'kind', 'name']),
      containers: partOfEach(member(status, 'containers') ?? [], (container) => ({
        ...scalarMembers(container, ['name', 'censored', 'censoredBoundSeconds', 'censoredAt']),
        samples: partOfEach(member(container, 'samples') ?? [], (sample, index) => ({
          ...scalarMembers(sample, ['seconds', 'within', 'basis', 'restart', 'at']),
          id: String(index),
        })),
      })),
    },
  };
}

function namespacePart(object: JsonObject): JsonObject {
  const metadata = objectMember(object, 'metadata') ?? {};
  const labels = member(metadata, 'labels');
  return {
    ...scalarMembers(object, ['apiVersion', 'kind']),
    metadata: {
      ...scalarMembers(metadata, ['name']),
      ...(isJsonObject(labels) && { labels: stringsOf(labels) }),
    },
  };
}

/** The fields of a Service that service-readiness and defaulting read. */
function servicePart(object: JsonObject): JsonObject {
  const spec = objectMember(object, 'spec') ?? {};
  const [selector, ports] = [member(spec, 'selector'), member(spec, 'ports')];
  return {
    ...scalarMembers(object, ['apiVersion', 'kind']),
    metadata: scalarMembers(objectMember(object, 'metadata') ?? {}, ['name', 'namespace']),
    spec: {
      ...scalarMembers(spec, ['type', 'publishNotReadyAddresses']),
      ...(isJsonObject(selector) && { selector: scalarMembers(selector, Object.keys(selector)) }),
      ...(ports !== undefined && {
        ports: partOfEach(ports, (port) =>
          scalarMembers(port, ['name', 'protocol', 'port', 'targetPort', 'appProtocol']),
        ),
      }),
    },
  };
}

function stringsOf(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => typeof value === 'string'));
}

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
