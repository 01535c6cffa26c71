import { quoted } from '../../base/json/quoted-value.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, type HandlerFields, type ProbeKind } from '../probe/probe.ts';
import { DISABLED, HANDLERS, PROBES } from './probe-schema.ts';
import { readField, readMember } from './read-field.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Field } from './field.ts';
import type { HandlerDefault, ProbeDefault } from './probe-default.ts';
import type { Reader } from './reader.ts';

const ENDPOINT: Field = { type: 'path', text: '' };

const REMOVED: ProbeDefault = { removed: true, integers: {} };

/** Reads the entry in `probes`, and the path in `kubernetesProbeEndpoints`, which is its `httpGet.path`. */
export function readProbeDefault(kind: ProbeKind, probe: Reader, endpoint: Reader): ProbeDefault | undefined {
  if (probe.isAbsent && endpoint.isAbsent) return undefined;
  if (probe.isNull || endpoint.isNull) {
    const [nulled, other] = probe.isNull ? [probe, endpoint] : [endpoint, probe];
    if (other.isGiven) nulled.report('null removes the probe, but the same policy also describes it');
    return probe.isNull ? REMOVED : { ...REMOVED, short: 'handler' };
  }
  const path = endpoint.isAbsent ? undefined : (readField(ENDPOINT, endpoint) as string | undefined);
  if (!probe.isAbsent) {
    if (probe.object(Object.keys(PROBES[kind].fields)) === undefined) return undefined;
    if (isDisabled(probe, endpoint)) return REMOVED;
    if (Object.keys(probe.value as JsonObject).length === 0) probe.warn(EMPTY_PROBE);
  }
  const own = readHandler(probe);
  const handler = path === undefined ? own : withEndpointPath(own, path, probe, endpoint);
  const isPathOfOwn = own?.fields['path'] === undefined ? 'path' : undefined;
  const short = path === undefined ? undefined : own === undefined ? 'handler' : isPathOfOwn;
  return { integers: readIntegers(kind, probe), ...(handler && { handler }), ...(short && { short }) };
}

/** Kubernetes 1.36 stores {} when a server-side apply sends null in place of a probe. */
const EMPTY_PROBE =
  '{} says nothing about the probe; write { disabled: true } to never inject the probe, or leave the field out';

function isDisabled(probe: Reader, endpoint: Reader): boolean {
  const place = probe.at(DISABLED);
  if (place.isAbsent || place.boolean() !== true) return false;
  const isDescribed = Object.keys(probe.anyObject() ?? {}).length > 1 || !endpoint.isAbsent;
  if (isDescribed) place.report('true removes the probe, but the same policy also describes it');
  return true;
}

const httpGet = (fields: HandlerFields): HandlerDefault => ({ kind: 'httpGet', fields });

function withEndpointPath(
  own: HandlerDefault | undefined,
  path: string,
  probe: Reader,
  endpoint: Reader,
): HandlerDefault | undefined {
  if (own === undefined) return httpGet({ path });
  if (own.kind !== 'httpGet')
    return endpoint.report(
      `is an HTTP path, but the same policy gives the probe ${own.kind === 'exec' ? 'an' : 'a'} ${own.kind} handler`,
    );
  const ownPath = own.fields['path'];
  if (ownPath !== undefined && ownPath !== path) {
    probe
      .at('httpGet')
      .at('path')
      .report(`${quoted(ownPath)} and kubernetesProbeEndpoints' ${quoted(path)} differ; give one`);
  }
  return httpGet({ ...own.fields, path });
}

function readIntegers(kind: ProbeKind, probe: Reader): ProbeDefault['integers'] {
  const { fields } = PROBES[kind];
  const read = PROBE_INTEGERS.map((name) => {
    const field = fields[name];
    return [name, field && readMember(field, probe.at(name))] as const;
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readHandler(reader: Reader): HandlerDefault | undefined {
  const named = HANDLER_KINDS.filter((kind) => reader.at(kind).isGiven);
  const [kind] = named;
  if (kind === undefined) return undefined;
  if (named.length > 1) return reader.report(`must have one handler, not ${named.join(' and ')}`);
  const before = reader.problems.length;
  const place = reader.at(kind);
  readField(HANDLERS[kind], place);
  return reader.problems.length === before ? { kind, fields: place.value as HandlerFields } : undefined;
}
