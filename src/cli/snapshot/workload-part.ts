import { isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { ANNOTATION_PREFIX } from '../../engine/policy/annotations.ts';
import { MIRROR_POD_ANNOTATION, podTemplatesOf } from '../../engine/workload/kinds.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../../engine/workload/main-container.ts';
import { MESH_STATUS_ANNOTATIONS } from '../../engine/workload/mesh.ts';
import { bare, partOfEach, scalarMembers } from './bare.ts';
import { containerPart } from './container.ts';
import { placeStrayFields } from './stray-fields.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/** Fields of a workload's spec that checks read beside the Pod template. */
const SPEC_FIELDS = ['replicas', 'parallelism', 'progressDeadlineSeconds', 'minReadySeconds'];
const POD_SPEC_FIELDS = ['restartPolicy', 'terminationGracePeriodSeconds', 'hostNetwork'];

/**
 * Returns the part of a workload that verdicts depend on: names, numbers of the workload, and the Pod templates. Every
 * field is named here, so a field that nobody knows never leaves.
 *
 * @param commands words of commands that policies give to probes
 */
export function workloadPart(object: JsonObject, kind: WorkloadKind, commands: readonly string[]): JsonObject {
  const metadata = objectMember(object, 'metadata') ?? {};
  const part: Record<string, unknown> = {
    ...scalarMembers(object, ['apiVersion', 'kind']),
    metadata: scalarMembers(metadata, ['name', 'generateName', 'namespace', 'deletionTimestamp']),
  };
  const spec = objectMember(object, 'spec');
  if (spec !== undefined) part['spec'] = scalarMembers(spec, SPEC_FIELDS);
  for (const { template, path } of podTemplatesOf(object, kind)) {
    const owner = ownerAt(part, object, path);
    owner['metadata'] = {
      ...(isJsonObject(owner['metadata']) ? owner['metadata'] : {}),
      ...templateMetadata(objectMember(template, 'metadata') ?? {}),
    };
    owner['spec'] = {
      ...(isJsonObject(owner['spec']) ? owner['spec'] : {}),
      ...podSpecPart(objectMember(template, 'spec') ?? {}, commands),
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
    const below = isJsonObject(source) ? member(source, String(step)) : (source as readonly unknown[])[Number(step)];
    const made = (owner[step] ??= emptyPart(below)) as Record<string, unknown>;
    owner = made;
    source = below;
  }
  return owner;
}

function emptyPart(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(emptyPart);
  return isJsonObject(value) ? scalarMembers(value, ['name']) : bare(value);
}

function templateMetadata(metadata: JsonObject): JsonObject {
  const labels = stringEntries(member(metadata, 'labels'));
  const annotations = stringEntries(member(metadata, 'annotations')).flatMap(([name, value]) => {
    if (name.startsWith(ANNOTATION_PREFIX) || name === DEFAULT_CONTAINER_ANNOTATION) return [[name, value] as const];
    return PRESENT_OR_NOT.has(name) ? [[name, ''] as const] : [];
  });
  return {
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

/** Annotations of others of which only the presence matters. */
const PRESENT_OR_NOT: ReadonlySet<string> = new Set([...MESH_STATUS_ANNOTATIONS, MIRROR_POD_ANNOTATION]);

function stringEntries(map: unknown): readonly (readonly [string, string])[] {
  if (!isJsonObject(map)) return [];
  return Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function podSpecPart(podSpec: JsonObject, commands: readonly string[]): JsonObject {
  const part = scalarMembers(podSpec, POD_SPEC_FIELDS);
  for (const list of CONTAINER_LISTS) {
    const containers = member(podSpec, list);
    if (containers !== undefined) part[list] = partOfEach(containers, (each) => containerPart(each, list, commands));
  }
  return part;
}
