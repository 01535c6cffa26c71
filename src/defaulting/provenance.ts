import { isJsonObject } from '../probes/json.ts';
import { INJECTED_ANNOTATION } from '../policy/annotations.ts';
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
    const probes = containers.get(container.name) ?? new Map<string, string>();
    containers.set(container.name, probes.set(kind, source));
  }
  return JSON.stringify(
    Object.fromEntries([...containers].map(([name, probes]) => [name, Object.fromEntries(probes)])),
  );
}

/** What the annotation says of an earlier call for the same Pod; nothing when it is not ours to begin with. */
export function readProvenance(text: string | undefined): Provenance {
  const provenance: Provenance = new Map();
  if (text === undefined) return provenance;
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

/** The API server's limit on all of an object's annotations together (apimachinery api/validation/objectmeta.go). */
const TOTAL_ANNOTATION_BYTES = 256 * 1024;

/** True when the Pod has room for the annotation: one too many and the API server would refuse a Pod that it accepts without us. */
export function hasRoomFor(value: string, annotations: ReadonlyMap<string, string>): boolean {
  let bytes = Buffer.byteLength(INJECTED_ANNOTATION) + Buffer.byteLength(value);
  for (const [name, text] of annotations) {
    if (name !== INJECTED_ANNOTATION) bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  return bytes <= TOTAL_ANNOTATION_BYTES;
}
