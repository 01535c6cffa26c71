import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { BOUNDS, MAX_SPEC_BYTES } from './bounds.ts';
import { readExceptionSettings, type ExceptionSettings } from './probe-exception.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { readCheckSettings, type CheckSettings, type CheckCatalogue } from './check-parameters.ts';
import { imagePatternProblem } from './image-pattern.ts';
import { readLabelSelector, type LabelSelector } from './label-selector.ts';
import { readPort, readProbeDefault, type ProbeDefault } from './probe-default.ts';
import { containerNameProblem, readApiVersion, readObjectName } from './object-names.ts';
import { nullable, optional, Reader, type FieldTable, type Problem } from './reader.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { readSlowStart, type SlowStart } from './slow-start.ts';

export const POLICY_KINDS = ['ProbePolicy', 'ClusterProbePolicy'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

export interface PolicyLayer {
  /** The source of the layer as `kind/namespace/name`, for the annotation on patched Pods and for messages. */
  readonly source: string;
  /** Undefined for a workload's annotations. */
  readonly kind?: PolicyKind;
  /** Container names, every application container, or the main one. */
  readonly containers: 'main' | 'all' | readonly string[];
  /** Patterns of images (image-pattern.ts), one of which a container must have; absent = every image. */
  readonly images?: readonly string[];
  readonly workloadSelector?: LabelSelector;
  /** Port name or number for HTTP paths without a port. Null removes a lower layer's value. */
  readonly port?: number | string | null;
  readonly probes: Readonly<Partial<Record<ProbeKind, ProbeDefault>>>;
  readonly slowStart: SlowStart;
  readonly checks: CheckSettings;
}

export interface ProbePolicy extends PolicyLayer {
  readonly kind: PolicyKind;
  readonly name: string;
  readonly namespace?: string;
  /** Over the namespace's labels; absent = every namespace. ClusterProbePolicy only. */
  readonly namespaceSelector?: LabelSelector;
  /** Orders ClusterProbePolicies: the higher one wins. 0 for a ProbePolicy. */
  readonly priority: number;
  /** Whether workloads may override by annotation, when this policy says so. ClusterProbePolicy only. */
  readonly annotations?: 'Allow' | 'Ignore';
  /** The exceptions that teams may make. ClusterProbePolicy only. */
  readonly exceptions?: ExceptionSettings;
}

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
  const isCluster = kind === 'ClusterProbePolicy';
  for (const field of isCluster ? [] : CLUSTER_SPEC_FIELDS)
    if (!spec.at(field).isAbsent) spec.at(field).report('only a ClusterProbePolicy has this field');
  const read = spec.fields(specFields(catalogue, spec, isCluster));
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

/** A policy as `kind/namespace/name`; without the namespace for one of the cluster. */
export function policySource(kind: string, namespace: string | undefined, name: string): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

const CLUSTER_SPEC_FIELDS = ['namespaceSelector', 'priority', 'annotations', 'exceptions'] as const;

type SpecFields = Omit<ProbePolicy, 'source' | 'kind' | 'name' | 'namespace'> & {
  /** Read together with `probes`. */
  readonly kubernetesProbeEndpoints?: never;
};

function specFields(catalogue: CheckCatalogue, spec: Reader, isCluster: boolean): FieldTable<SpecFields> {
  const forCluster = <T>(read: (place: Reader) => T | undefined): ((place: Reader) => T | undefined) =>
    isCluster ? optional(read) : () => undefined;
  const selector = (place: Reader): LabelSelector | undefined => readLabelSelector(place);
  return {
    images: optional((place) => {
      const checks = spec.at('checks');
      const images = place.names('image', BOUNDS.images, BOUNDS.imagePattern, imagePatternProblem);
      if (images !== undefined && !checks.isAbsent)
        checks.report('a policy with images sets no checks: they are for containers by name; write another policy');
      return images;
    }),
    workloadSelector: optional(selector),
    namespaceSelector: forCluster(selector),
    annotations: forCluster((place) => place.oneOf(['Allow', 'Ignore'] as const)),
    exceptions: forCluster((place) => readExceptionSettings(catalogue, place)),
    priority: forCluster((place) => place.integer(-INT32_MAX - 1, INT32_MAX)),
    containers: optional(readContainers),
    port: nullable(readPort),
    kubernetesProbeEndpoints: () => undefined,
    probes: () => readProbes(spec),
    slowStart: optional(readSlowStart),
    checks: optional((place) => readCheckSettings(catalogue, place, isCluster)),
  };
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

function readContainers(reader: Reader): PolicyLayer['containers'] | undefined {
  if (typeof reader.value === 'string') return reader.report(`must be a list; write [${quoted(reader.value)}]`);
  const names = reader.names('container', BOUNDS.containers, BOUNDS.containerName, (name) =>
    name === '*' ? undefined : containerNameProblem(name),
  );
  if (names === undefined) return undefined;
  if (!names.includes('*')) return names;
  return names.length === 1 ? 'all' : reader.report('"*" is every application container: list it alone');
}

function readProbes(spec: Reader): PolicyLayer['probes'] {
  const endpoints = spec.at('kubernetesProbeEndpoints');
  const probes = spec.at('probes');
  for (const field of [endpoints, probes]) optional((place) => place.object(PROBE_KINDS, 'probe'))(field);
  return probes.members<PolicyLayer['probes']>({
    livenessProbe: (place) => readProbeDefault('livenessProbe', place, endpoints.at('livenessProbe')),
    readinessProbe: (place) => readProbeDefault('readinessProbe', place, endpoints.at('readinessProbe')),
    startupProbe: (place) => readProbeDefault('startupProbe', place, endpoints.at('startupProbe')),
  });
}
