import { isJsonObject, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
import { hasRoomFor, provenance } from './provenance.ts';
import type { Injection } from './injection.ts';

/** An RFC 6902 `add`: the only operation that Probewright sends. */
export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/**
 * The JSON patch that adds a Pod's missing probes, and the annotation with their sources: `add` operations, parents
 * first. Each adds to an object of this Pod, so each applies. For any other, the API server answers 500 whatever the
 * failurePolicy.
 *
 * @param sources the provenance of these injections alone, if the caller has it already
 */
export function probePatch(
  pod: JsonObject,
  injections: readonly Injection[],
  sources = provenance(injections, undefined),
): PatchOperation[] {
  if (injections.length === 0) return [];
  const patch = annotationPatch(pod, injections, sources);
  for (const { container, kind, probe } of injections)
    patch.push(add(`/spec/${container.list}/${container.index}/${kind}`, probe));
  return patch;
}

const INJECTED_POINTER = `/metadata/annotations/${INJECTED_ANNOTATION.replace('/', '~1')}`;

function annotationPatch(pod: JsonObject, injections: readonly Injection[], sources: string): PatchOperation[] {
  const metadata = objectMember(pod, 'metadata');
  const annotations = stringMap(metadata ?? {}, 'annotations');
  const existing = annotations.get(INJECTED_ANNOTATION);
  const value = existing === undefined ? sources : provenance(injections, existing);
  if (!hasRoomFor(value, annotations)) return [];
  if (metadata === undefined) return [add('/metadata', { annotations: { [INJECTED_ANNOTATION]: value } })];
  if (!isJsonObject(metadata['annotations'])) return [add('/metadata/annotations', { [INJECTED_ANNOTATION]: value })];
  return [add(INJECTED_POINTER, value)];
}

function add(path: string, value: unknown): PatchOperation {
  return { op: 'add', path, value };
}
