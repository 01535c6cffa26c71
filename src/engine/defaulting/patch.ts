import { isJsonObject, jsonOf, objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { INJECTED_ANNOTATION, TOTAL_ANNOTATION_BYTES } from '../policy/annotations.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import type { Pod } from '../workload/pod.ts';
import type { LearnedTime } from '../time/learned-start.ts';
import type { Injection } from './injection.ts';

/** An RFC 6902 `add`: the only operation that Probewright sends. */
export interface PatchOperation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/**
 * The JSON patch that adds a Pod's missing probes, and the annotation with their sources, parents first. Each operation
 * adds to an object of this Pod, so each applies: else the API server answers 500 whatever the failurePolicy.
 */
export function probePatch(pod: JsonObject, injections: readonly Injection[]): PatchOperation[] {
  if (injections.length === 0) return [];
  const added = injections.map(({ container: { list, index }, kind, probe }) =>
    add(`/spec/${list}/${index}/${kind}`, probe),
  );
  return [...annotationPatch(pod, injections), ...added];
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

/** Comes before the policy that asks for a startup probe whose handler is that of the author's own liveness probe. */
export const OWN_LIVENESS = 'own livenessProbe; ';

type Provenance = Map<string, Map<string, string>>;

/** The `probewright.dev/injected` annotation after these injections; entries of an earlier call stay. */
export function provenance(injections: readonly Injection[], existing: string | undefined): string {
  const containers = readProvenance(existing);
  for (const { container, kind, source: layer, learned, isLikeOwn } of injections) {
    const handler = isLikeOwn === true ? OWN_LIVENESS : '';
    const source = `${handler}${learned === undefined ? '' : `${learnedText(learned)}; `}${layer}`;
    const probes = containers.get(container.name);
    if (probes === undefined) containers.set(container.name, new Map([[kind, source]]));
    else probes.set(kind, source);
  }
  return objectText(containers, (probes) => objectText(probes, JSON.stringify));
}

function learnedText({ figures, seconds, isOfAllImages }: LearnedTime): string {
  const { starts, longestSeconds, boundSeconds } = figures;
  const killed = boundSeconds > 0 ? `, one killed after ${boundSeconds} s` : '';
  const of = isOfAllImages ? ' of all images' : '';
  return `learned: ${starts} starts${of}, longest ${longestSeconds} s${killed}, ${seconds} s to start`;
}

function objectText<T>(members: ReadonlyMap<string, T>, textOf: (value: T) => string): string {
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join()}}`;
}

/** The entries of an earlier call for the same Pod; empty when the annotation is not in our format. */
export function readProvenance(text: string | undefined): Provenance {
  const provenance: Provenance = new Map();
  if (text === undefined || text.length > TOTAL_ANNOTATION_BYTES) return provenance;
  const value = jsonOf(text);
  if (!isJsonObject(value)) return provenance;
  for (const [name, probes] of Object.entries(value))
    if (isJsonObject(probes)) provenance.set(name, new Map(stringMap(value, name)));
  return provenance;
}

/** The probes that the annotation of a Pod names, whether they are there or not. Anybody can write the annotation. */
export function probesNamedIn(pod: Pod): readonly Pick<Injection, 'container' | 'kind'>[] {
  const named = readProvenance(pod.annotations.get(INJECTED_ANNOTATION));
  // Many Pods are answered without a look at a container.
  if (named.size === 0) return [];
  return pod.containers.flatMap((container) => {
    const probes = container.role === 'ephemeral' ? undefined : named.get(container.name);
    return PROBE_KINDS.filter((kind) => probes?.has(kind) === true).map((kind) => ({ container, kind }));
  });
}

/** True when the Pod has room for the annotation. Without room, the API server would reject a valid Pod. */
function hasRoomFor(value: string, annotations: ReadonlyMap<string, string>): boolean {
  const after = new Map([...annotations, [INJECTED_ANNOTATION, value]]);
  const bytes = [...after].reduce((sum, [name, text]) => sum + utf8Length(name) + utf8Length(text), 0);
  return bytes <= TOTAL_ANNOTATION_BYTES;
}
