import { isJsonObject } from '../../base/json/json-value.ts';
import {
  ANNOTATION_PREFIX,
  CONTAINERS_ANNOTATION,
  INJECTED_ANNOTATION,
  SKIP_ANNOTATION,
  STARTUP_SECONDS_ANNOTATION,
} from '../../engine/policy/annotations.ts';
import { DEFAULT_CONTAINER_ANNOTATION } from '../../engine/workload/main-container.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Pseudonyms } from './pseudonyms.ts';

/** Annotations whose values are no names. */
const KEPT: ReadonlySet<string> = new Set([SKIP_ANNOTATION, STARTUP_SECONDS_ANNOTATION]);
const ENDPOINT = /-endpoint$/;

/** Returns the annotations of a Pod template with pseudonyms. Values of unknown annotations become empty. */
export function anonymousAnnotations(annotations: JsonObject, names: Pseudonyms): JsonObject {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [name, anonymous(name, String(value), names)]),
  );
}

function anonymous(name: string, value: string, names: Pseudonyms): string {
  if (KEPT.has(name)) return value;
  if (name === DEFAULT_CONTAINER_ANNOTATION) return names.container(value);
  if (name === CONTAINERS_ANNOTATION)
    return value.replace(/[^,\s][^,]*[^,\s]|[^,\s]/g, (container) => names.container(container));
  if (name === INJECTED_ANNOTATION) return injected(value, names);
  return name.startsWith(ANNOTATION_PREFIX) && ENDPOINT.test(name) ? names.text(value) : '';
}

/** The origin of each injected probe: container -> probe -> `kind/namespace/name`. */
function injected(value: string, names: Pseudonyms): string {
  let read: unknown;
  try {
    read = JSON.parse(value);
  } catch {
    return '';
  }
  if (!isJsonObject(read)) return '';
  const containers = Object.entries(read).map(([container, probes]) => {
    if (!isJsonObject(probes)) return [names.container(container), {}] as const;
    const sources = Object.entries(probes).map(([probe, source]) => [probe, names.source(String(source))] as const);
    return [names.container(container), Object.fromEntries(sources)] as const;
  });
  return JSON.stringify(Object.fromEntries(containers));
}
