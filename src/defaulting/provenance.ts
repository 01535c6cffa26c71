import { isJsonObject } from '../probes/json.ts';
import { INJECTED_ANNOTATION, TOTAL_ANNOTATION_BYTES } from '../policy/annotations.ts';
import type { Injection } from './default-probes.ts';

/** Container -> probe -> where it came from. */
type Provenance = Map<string, Map<string, string>>;

/**
 * The value of the `probewright.dev/injected` annotation after these injections. What an earlier call for the same Pod wrote is
 * kept: the webhook is called again when another injector has added containers.
 */
export function provenance(injections: readonly Injection[], existing: string | undefined): string {
  const containers = readProvenance(existing);
  for (const { container, kind, source } of injections) {
    const probes = containers.get(container.name);
    if (probes === undefined) containers.set(container.name, new Map([[kind, source]]));
    else probes.set(kind, source);
  }
  return objectText(containers, (probes) => objectText(probes, (source) => JSON.stringify(source)));
}

/** JSON of a map, in its order. */
function objectText<T>(members: ReadonlyMap<string, T>, textOf: (value: T) => string): string {
  let text = '';
  for (const [name, value] of members) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${textOf(value)}`;
  return `{${text}}`;
}

/** What the annotation says of an earlier call for the same Pod; nothing when it is not ours to begin with. */
export function readProvenance(text: string | undefined): Provenance {
  const provenance: Provenance = new Map();
  if (text === undefined || text.length > TOTAL_ANNOTATION_BYTES) return provenance;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return provenance;
  }
  if (!isJsonObject(value)) return provenance;
  for (const [name, probes] of Object.entries(value)) {
    if (!isJsonObject(probes)) continue;
    const sources = Object.entries(probes).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    provenance.set(name, new Map(sources));
  }
  return provenance;
}

/** UTF-8 needs at most so many bytes for a unit of a string's length. */
const MOST_BYTES_A_UNIT = 3;

/** True when the Pod has room for the annotation: one too many and the API server would refuse a Pod that it accepts without us. */
export function hasRoomFor(value: string, annotations: ReadonlyMap<string, string>): boolean {
  let length = INJECTED_ANNOTATION.length + value.length;
  for (const [name, text] of annotations) length += name.length + text.length;
  if (length * MOST_BYTES_A_UNIT <= TOTAL_ANNOTATION_BYTES) return true;
  let bytes = Buffer.byteLength(INJECTED_ANNOTATION) + Buffer.byteLength(value);
  for (const [name, text] of annotations) {
    if (name !== INJECTED_ANNOTATION) bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  return bytes <= TOTAL_ANNOTATION_BYTES;
}
