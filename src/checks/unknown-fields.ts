import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from '../probes/probe.ts';
import { didYouMean, suggestion } from '../policy/suggestion.ts';
import type { JsonObject } from '../probes/json.ts';

/** A field of a probe that no API version knows, and the container that it stands in. */
export interface UnknownField {
  readonly container: string;
  readonly path: string;
  readonly message: string;
}

/** The fields of a core/v1 Probe and of its handlers; `mode` of grpc comes with Kubernetes 1.37. */
const PROBE_FIELDS: readonly string[] = [...HANDLER_KINDS, ...PROBE_INTEGERS];
const HANDLER_FIELDS: Readonly<Record<(typeof HANDLER_KINDS)[number], readonly string[]>> = {
  exec: ['command'],
  httpGet: ['path', 'port', 'host', 'scheme', 'httpHeaders'],
  tcpSocket: ['port', 'host'],
  grpc: ['port', 'service', 'mode'],
};

/**
 * Misspelt probe fields in a manifest: names are case-sensitive, and the API server drops what it does not know, for most clients without an
 * error: a `livenessprobe` is no probe at all. Only a manifest shows this; a webhook sees the object after the fields are gone.
 *
 * @param podSpec as written
 * @param podSpecPath where it stands in the object
 */
export function unknownProbeFields(podSpec: JsonObject, podSpecPath: string): UnknownField[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => {
    const entries = member(podSpec, list);
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown, index) =>
      isJsonObject(entry) ? inContainer(entry, `${podSpecPath}.${list}[${index}]`) : [],
    );
  });
}

function inContainer(container: JsonObject, path: string): UnknownField[] {
  const name = stringMember(container, 'name') ?? '';
  const found: UnknownField[] = [];
  const report = (fieldPath: string, hint: string): void => {
    found.push({ container: name, path: fieldPath, message: `unknown field, which the API server drops${hint}` });
  };
  for (const key of Object.keys(container)) {
    const meant = (PROBE_KINDS as readonly string[]).includes(key) ? undefined : suggestion(key, PROBE_KINDS);
    // A container has many other fields: only what is nearly a probe's name is one that was meant to be.
    if (meant !== undefined && /prob|live|ready|readi|startup/i.test(key))
      report(`${path}.${key}`, `; did you mean "${meant}"?`);
  }
  for (const kind of PROBE_KINDS) {
    const probe = objectMember(container, kind);
    if (probe === undefined) continue;
    for (const key of unknownKeys(probe, PROBE_FIELDS)) report(`${path}.${kind}.${key}`, didYouMean(key, PROBE_FIELDS));
    for (const handler of HANDLER_KINDS) {
      const fields = objectMember(probe, handler);
      if (fields === undefined) continue;
      const known = HANDLER_FIELDS[handler];
      for (const key of unknownKeys(fields, known)) report(`${path}.${kind}.${handler}.${key}`, didYouMean(key, known));
      for (const { index, key } of unknownHeaderKeys(fields)) {
        report(`${path}.${kind}.${handler}.httpHeaders[${index}].${key}`, didYouMean(key, HEADER_FIELDS));
      }
    }
  }
  return found;
}

const HEADER_FIELDS = ['name', 'value'];

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
