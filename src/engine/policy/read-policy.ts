import { quoted } from '../../base/json/quoted-value.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS, type HandlerFields, type ProbeKind } from '../probe/probe.ts';
import { MAX_SPEC_BYTES } from './bounds.ts';
import {
  POLICY_KINDS,
  policySource,
  type HandlerDefault,
  type PolicyKind,
  type PolicyLayer,
  type ProbeDefault,
  type ProbePolicy,
} from './probe-policy.ts';
import { DISABLED, HANDLERS, PROBES } from './probe-schema.ts';
import { readCheckSettings } from './read-checks.ts';
import { readExceptionSettings } from './read-exception.ts';
import { readApiVersion, readField, readMember, readObject, readObjectName, type OwnReader } from './read-field.ts';
import { Reader, type Problem } from './reader.ts';
import { POLICY_SPEC } from './schema.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckCatalogue } from './check-parameters.ts';
import type { Field } from './field.ts';

/** The policy, with warnings about what is probably not meant so; or all of its problems. */
export type PolicyParse =
  | { readonly policy: ProbePolicy; readonly warnings: readonly Problem[]; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

/** Reads a policy from a file or a custom resource. Unknown keys are problems; all have their paths. */
export function parseProbePolicy(catalogue: CheckCatalogue, document: unknown): PolicyParse {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const reader = new Reader(document, [], problems, warnings);
  const policy = readPolicy(catalogue, reader);
  // JSON.stringify overflows the stack on deep values. A spec that was read without a problem is not deep.
  if (policy !== undefined && problems.length === 0) {
    const spec = reader.at('spec');
    const bytes = utf8Length(JSON.stringify(spec.value));
    if (bytes > MAX_SPEC_BYTES) spec.report(`must have at most ${MAX_SPEC_BYTES} bytes as JSON, not ${bytes}`);
  }
  return policy === undefined || problems.length > 0 ? { problems } : { policy, warnings };
}

function readPolicy(catalogue: CheckCatalogue, reader: Reader): ProbePolicy | undefined {
  if (reader.object(['apiVersion', 'kind', 'metadata', 'spec', 'status']) === undefined) return undefined;
  readApiVersion(reader.at('apiVersion'));
  const kind = reader.at('kind').oneOf(POLICY_KINDS);
  if (kind === undefined) return undefined;
  const metadata = readMetadata(reader.at('metadata'), kind);
  const spec = reader.at('spec');
  if (!spec.isGiven) return spec.report('must be given; {} is a policy that says nothing');
  const read = readSpec(catalogue, spec, kind);
  const { name, namespace } = metadata;
  return {
    priority: 0,
    containers: read?.images === undefined ? 'main' : 'all',
    probes: {},
    slowStart: {},
    checks: new Map(),
    ...read,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    source: policySource(kind, namespace, name),
  };
}

type SpecFields = Omit<ProbePolicy, 'source' | 'kind' | 'name' | 'namespace'>;

function readSpec(catalogue: CheckCatalogue, spec: Reader, kind: PolicyKind): Partial<SpecFields> | undefined {
  const isCluster = kind === 'ClusterProbePolicy';
  const own = {
    ...(!isCluster && NOT_OF_NAMESPACES),
    ...(isCluster && { exceptions: (place: Reader) => readExceptionSettings(catalogue, place) }),
    containers: readContainers,
    kubernetesProbeEndpoints: () => undefined,
    probes: () => readProbes(spec),
    checks: (place: Reader) => readCheckSettings(catalogue, place, isCluster),
  };
  return readObject(POLICY_SPEC, spec, own) as Partial<SpecFields> | undefined;
}

/** The fields that a ProbePolicy may not have. */
const NOT_OF_NAMESPACES: Readonly<Record<string, OwnReader>> = Object.fromEntries(
  Object.entries(POLICY_SPEC.fields)
    .filter(([, { only }]) => only !== undefined)
    .map(([name]) => [name, reportMisplaced]),
);

function reportMisplaced(place: Reader): undefined {
  return place.isAbsent ? undefined : place.report('only a ClusterProbePolicy has this field');
}

function readMetadata(metadata: Reader, kind: PolicyKind): { name: string; namespace?: string } {
  if (metadata.anyObject() === undefined) return { name: '' };
  const name = readObjectName(metadata.at('name')) ?? '';
  const namespace = metadata.at('namespace');
  if (kind === 'ProbePolicy') return { name, namespace: readObjectName(namespace) ?? '' };
  if (!namespace.isAbsent)
    namespace.report('must be left out: a ClusterProbePolicy is for every namespace that it selects');
  return { name };
}

function readContainers(place: Reader, field: Field): PolicyLayer['containers'] | undefined {
  if (!place.isGiven) return undefined;
  if (typeof place.value === 'string') return place.report(`must be a list; write [${quoted(place.value)}]`);
  const names = readField(field, place) as readonly string[] | undefined;
  return names?.includes('*') === true ? 'all' : names;
}

function readProbes(spec: Reader): PolicyLayer['probes'] {
  const endpoints = spec.at('kubernetesProbeEndpoints');
  const probes = spec.at('probes');
  for (const field of [endpoints, probes]) if (field.isGiven) field.object(PROBE_KINDS, 'probe');
  const read = PROBE_KINDS.map((kind) => [kind, readProbeDefault(kind, probes.at(kind), endpoints.at(kind))] as const);
  return Object.fromEntries(read.filter(([, probe]) => probe !== undefined));
}

const ENDPOINT: Field = { type: 'path', text: '' };

const REMOVED: ProbeDefault = { removed: true, integers: {} };

/** Reads the entry in `probes`, and the path in `kubernetesProbeEndpoints`, which is its `httpGet.path`. */
function readProbeDefault(kind: ProbeKind, probe: Reader, endpoint: Reader): ProbeDefault | undefined {
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
