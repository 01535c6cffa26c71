import { quoted } from '../../base/json/quoted-value.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { MAX_SPEC_BYTES } from './bounds.ts';
import { POLICY_KINDS, policySource, type PolicyKind, type PolicyLayer, type ProbePolicy } from './probe-policy.ts';
import { readCheckSettings } from './read-checks.ts';
import { readExceptionSettings } from './read-exception.ts';
import { readApiVersion, readField, readObject, readObjectName, type OwnReader } from './read-field.ts';
import { readProbeDefault } from './read-probe.ts';
import { Reader, type Problem } from './reader.ts';
import { POLICY_SPEC } from './schema.ts';
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
