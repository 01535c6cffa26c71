import { isJsonObject, member, objectMember, stringMember } from '../json/json-value.ts';
import { CONTAINER_LISTS } from '../probes/api-defaults.ts';
import { HANDLER_FIELDS, HEADER_FIELDS, PROBE_FIELDS } from '../probes/probe-fields.ts';
import { HANDLER_KINDS, PROBE_KINDS } from '../probes/probe.ts';
import { didYouMean, suggestion } from '../text/suggestion.ts';
import type { FieldPath } from '../json/field-path.ts';
import type { JsonObject } from '../json/json-value.ts';

/** A field of a probe that no API version knows, with its container. */
export interface UnknownField {
  readonly container: string;
  readonly path: FieldPath;
  readonly message: string;
}

/**
 * Finds misspelt probe fields in a manifest. Names are case-sensitive, and for most clients the API server drops
 * unknown fields without an error: a `livenessprobe` has no effect. Only a manifest shows such fields, because a
 * webhook gets the object after the API server dropped them.
 *
 * @param podSpec the Pod spec as written
 * @param podSpecPath the path of the Pod spec in the object
 */
export function unknownProbeFields(podSpec: JsonObject, podSpecPath: FieldPath): UnknownField[] {
  return CONTAINER_LISTS.flatMap((list) => {
    const entries = member(podSpec, list);
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, index) =>
      isJsonObject(entry) ? inContainer(entry, [...podSpecPath, list, index]) : [],
    );
  });
}

function inContainer(container: JsonObject, path: FieldPath): UnknownField[] {
  const name = stringMember(container, 'name') ?? '';
  const found: UnknownField[] = [];
  const report = (below: FieldPath, hint: string): void => {
    found.push({
      container: name,
      path: [...path, ...below],
      message: `unknown field, which the API server drops${hint}`,
    });
  };
  for (const key of Object.keys(container)) {
    const meant = (PROBE_KINDS as readonly string[]).includes(key) ? undefined : suggestion(key, PROBE_KINDS);
    // A container has many other fields. Report only keys that are similar to a probe's name.
    if (meant !== undefined && /prob|live|ready|readi|startup/i.test(key)) report([key], `; did you mean "${meant}"?`);
  }
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(container, kind);
    if (probe === undefined) continue;
    for (const key of unknownKeys(probe, PROBE_FIELDS)) report([kind, key], didYouMean(key, PROBE_FIELDS));
    for (const handler of HANDLER_KINDS) {
      const fields = objectMember(probe, handler);
      if (fields === undefined) continue;
      const known = HANDLER_FIELDS.get(handler) ?? [];
      for (const key of unknownKeys(fields, known)) report([kind, handler, key], didYouMean(key, known));
      for (const { index, key } of unknownHeaderKeys(fields)) {
        report([kind, handler, 'httpHeaders', index, key], didYouMean(key, HEADER_FIELDS));
      }
    }
  }
  return found;
}

function unknownHeaderKeys(handler: JsonObject): { index: number; key: string }[] {
  const headers = member(handler, 'httpHeaders');
  if (!Array.isArray(headers)) return [];
  return headers.flatMap((header: unknown, index) =>
    isJsonObject(header) ? unknownKeys(header, HEADER_FIELDS).map((key) => ({ index, key })) : [],
  );
}

function unknownKeys(object: JsonObject, known: readonly string[]): string[] {
  return Object.keys(object).filter((key) => !known.includes(key));
}
