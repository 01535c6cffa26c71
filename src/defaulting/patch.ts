import jsonPatch from 'fast-json-patch';
import { isJsonObject, member, objectMember, stringMap } from '../probes/json.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { hasRoomFor, provenance } from './provenance.ts';
import type { AddOperation } from 'fast-json-patch';
import type { JsonObject } from '../probes/json.ts';
import type { Injection } from './default-probes.ts';

/** An RFC 6902 `add`: the only operation that Probewright sends. */
export type PatchOperation = AddOperation<unknown>;

/**
 * The JSON patch that gives a Pod its missing probes and the annotation that says where they came from: `add` operations only,
 * parents first. Empty when there is nothing to inject.
 */
export function probePatch(pod: JsonObject, injections: readonly Injection[]): PatchOperation[] {
  if (injections.length === 0) return [];
  const patch = annotationPatch(pod, injections);
  for (const { container, kind, probe } of injections)
    patch.push(add(`/spec/${container.list}/${container.index}/${kind}`, probe));
  return patch;
}

const INJECTED_POINTER = `/metadata/annotations/${INJECTED_ANNOTATION.replace('/', '~1')}`;

function annotationPatch(pod: JsonObject, injections: readonly Injection[]): PatchOperation[] {
  const metadata = objectMember(pod, 'metadata');
  const annotations = stringMap(metadata ?? {}, 'annotations');
  const value = provenance(injections, annotations.get(INJECTED_ANNOTATION));
  if (!hasRoomFor(value, annotations)) return [];
  if (metadata === undefined) return [add('/metadata', { annotations: { [INJECTED_ANNOTATION]: value } })];
  if (!isJsonObject(metadata['annotations'])) return [add('/metadata/annotations', { [INJECTED_ANNOTATION]: value })];
  return [add(INJECTED_POINTER, value)];
}

function add(path: string, value: unknown): PatchOperation {
  return { op: 'add', path, value };
}

/**
 * The Pod with the patch applied; the Pod itself stays as it was. Throws when an operation does not apply: a patch that the API
 * server could not apply would fail the user's request even under failurePolicy Ignore.
 */
export function applyToCopy(pod: JsonObject, patch: readonly PatchOperation[]): JsonObject {
  // Operations are well-formed by their type, so the library need not validate them; where no parent is, adding throws by itself.
  return jsonPatch.applyPatch(copyOfWhatIsTouched(pod, patch), patch, false, true).newDocument;
}

/** A copy that shares everything but the objects that a probe patch adds members to. Annotations may be many, and have no room for another. */
function copyOfWhatIsTouched(pod: JsonObject, patch: readonly PatchOperation[]): JsonObject {
  const metadata = objectMember(pod, 'metadata');
  const addsAnnotation = patch.some(({ path }) => path === INJECTED_POINTER);
  const annotations = metadata && addsAnnotation ? objectMember(metadata, 'annotations') : undefined;
  const spec = objectMember(pod, 'spec') ?? {};
  return {
    ...pod,
    ...(metadata && { metadata: { ...metadata, ...(annotations && { annotations: { ...annotations } }) } }),
    spec: { ...spec, ...copiedList(spec, 'containers'), ...copiedList(spec, 'initContainers') },
  };
}

function copiedList(spec: JsonObject, list: string): JsonObject {
  const elements = member(spec, list);
  if (!Array.isArray(elements)) return {};
  return { [list]: elements.map((element: unknown) => (isJsonObject(element) ? { ...element } : element)) };
}
