import { isJsonObject } from '../../base/json/json-value.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { BOUNDS, specSizeProblem } from './bounds.ts';
import { readExceptionSettings } from './exception-rules.ts';
import { isDnsLabel } from './dns-label.ts';
import { isDnsSubdomain } from './dns-subdomain.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { readCheckSettings } from './check-settings.ts';
import { readLabelSelector } from './label-selector.ts';
import { readPort, readProbeDefault } from './probe-default.ts';
import { POLICY_API_VERSION } from './api-version.ts';
import { Reader } from './reader.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { readSlowStart } from './slow-start.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import type { ExceptionSettings } from './exception-rules.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { CheckCatalogue } from './check-catalogue.ts';
import type { CheckSettings } from './check-settings.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ProbeDefault } from './probe-default.ts';
import type { Problem } from './problems.ts';
import type { SlowStart } from './slow-start.ts';

export { POLICY_API_VERSION } from './api-version.ts';
export const POLICY_KINDS = ['ProbePolicy', 'ClusterProbePolicy'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

/** One layer of policy: a ProbePolicy, a ClusterProbePolicy, or a workload's annotations. */
export interface PolicyLayer {
  /** The source of the layer as `kind/namespace/name`, for the annotation on patched Pods and for messages. */
  readonly source: string;
  /** Undefined for a workload's annotations. */
  readonly kind?: PolicyKind;
  /** Container names, every application container, or the main one. */
  readonly containers: 'main' | 'all' | readonly string[];
  /** Over the Pod's labels; absent = every workload. */
  readonly workloadSelector?: LabelSelector;
  /** Port name or number for HTTP paths without a port. Null removes a lower layer's value. */
  readonly port?: number | string | null;
  readonly probes: Readonly<Partial<Record<ProbeKind, ProbeDefault>>>;
  readonly slowStart: SlowStart;
  readonly checks: CheckSettings;
}

/** A policy: its layer, and the workloads that it applies to. */
export interface ProbePolicy extends PolicyLayer {
  readonly kind: PolicyKind;
  readonly name: string;
  /** Undefined for a ClusterProbePolicy. */
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

/**
 * The result of reading a policy: the policy, with warnings about what is probably not meant so, or all of its
 * problems.
 */
export type PolicyParse =
  { readonly policy: ProbePolicy; readonly warnings: readonly Problem[] } | { readonly problems: readonly Problem[] };

/**
 * Reads a ProbePolicy or ClusterProbePolicy, from a YAML file or a custom resource: the same content means the same
 * thing. Unknown keys are rejected. All problems are reported, each with the path of the field.
 *
 * @param catalogue the checks that the policy may speak of
 */
export function parseProbePolicy(catalogue: CheckCatalogue, document: unknown): PolicyParse {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const reader = new Reader(document, [], problems, warnings);
  const policy = readPolicy(catalogue, reader);
  // JSON.stringify overflows the stack on deep values. A spec that was read without a problem is not deep.
  if (policy !== undefined && problems.length === 0) reportSize(reader.at('spec'));
  return policy === undefined || problems.length > 0 ? { problems } : { policy, warnings };
}

function reportSize(spec: Reader): void {
  const problem = specSizeProblem(utf8Length(JSON.stringify(spec.value)));
  if (problem !== undefined) spec.report(problem);
}

function readPolicy(catalogue: CheckCatalogue, reader: Reader): ProbePolicy | undefined {
  if (reader.object(['apiVersion', 'kind', 'metadata', 'spec', 'status']) === undefined) return undefined;
  if (reader.at('apiVersion').value !== POLICY_API_VERSION) {
    reader.at('apiVersion').report(`must be ${POLICY_API_VERSION}, not ${quoted(reader.at('apiVersion').value)}`);
  }
  const kind = reader.at('kind').oneOf(POLICY_KINDS);
  if (kind === undefined) return undefined;
  const metadata = readMetadata(reader.at('metadata'), kind);
  const spec = reader.at('spec');
  if (spec.isAbsent || spec.isNull) return spec.report('must be given; {} is a policy that says nothing');
  const isCluster = kind === 'ClusterProbePolicy';
  reportClusterFields(spec, isCluster);
  if (spec.object([...SPEC_FIELDS, ...CLUSTER_SPEC_FIELDS]) === undefined) return undefined;

  const workloadSelector = optional(spec.at('workloadSelector'), (selector) => readLabelSelector(selector));
  return {
    kind,
    name: metadata.name,
    ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
    source: [kind, ...(metadata.namespace === undefined ? [] : [metadata.namespace]), metadata.name].join('/'),
    ...(workloadSelector && { workloadSelector }),
    ...readClusterFields(catalogue, spec, isCluster),
    containers: optional(spec.at('containers'), readContainers) ?? 'main',
    ...readLayerPort(spec.at('port')),
    probes: readProbes(spec),
    slowStart: optional(spec.at('slowStart'), readSlowStart) ?? {},
    checks: optional(spec.at('checks'), (checks) => readCheckSettings(catalogue, checks, isCluster)) ?? new Map(),
  };
}

const SPEC_FIELDS = [
  'workloadSelector',
  'containers',
  'port',
  'kubernetesProbeEndpoints',
  'probes',
  'slowStart',
  'checks',
] as const;
const CLUSTER_SPEC_FIELDS = ['namespaceSelector', 'priority', 'annotations', 'exceptions'] as const;

/** Reads an optional field. Null is an empty field in YAML and counts as absent. */
function optional<T>(reader: Reader, read: (reader: Reader) => T | undefined): T | undefined {
  return reader.isAbsent || reader.isNull ? undefined : read(reader);
}

function reportClusterFields(spec: Reader, isCluster: boolean): void {
  if (isCluster || !isJsonObject(spec.value)) return;
  for (const field of CLUSTER_SPEC_FIELDS) {
    if (!spec.at(field).isAbsent) spec.at(field).report('only a ClusterProbePolicy has this field');
  }
}

function readClusterFields(
  catalogue: CheckCatalogue,
  spec: Reader,
  isCluster: boolean,
): Pick<ProbePolicy, 'priority'> & Partial<Pick<ProbePolicy, 'namespaceSelector' | 'annotations' | 'exceptions'>> {
  if (!isCluster) return { priority: 0 };
  const namespaceSelector = optional(spec.at('namespaceSelector'), (selector) => readLabelSelector(selector));
  const annotations = optional(spec.at('annotations'), (field) => field.oneOf(['Allow', 'Ignore'] as const));
  const exceptions = optional(spec.at('exceptions'), (field) => readExceptionSettings(catalogue, field));
  return {
    priority: optional(spec.at('priority'), (field) => field.integer(-INT32_MAX - 1, INT32_MAX)) ?? 0,
    ...(namespaceSelector && { namespaceSelector }),
    ...(annotations && { annotations }),
    ...(exceptions && { exceptions }),
  };
}

function readMetadata(metadata: Reader, kind: PolicyKind): { name: string; namespace?: string } {
  if (metadata.anyObject() === undefined) return { name: '' };
  const name = readName(metadata.at('name'));
  const namespace = metadata.at('namespace');
  if (kind === 'ClusterProbePolicy') {
    if (!namespace.isAbsent)
      namespace.report('must be left out: a ClusterProbePolicy is for every namespace that it selects');
    return { name };
  }
  return { name, namespace: readName(namespace) };
}

function readName(reader: Reader): string {
  if (reader.isAbsent) {
    reader.report('must be given');
    return '';
  }
  const name = reader.string() ?? '';
  if (typeof reader.value === 'string' && !isDnsSubdomain(name)) {
    reader.report(`${quoted(name)} is not an object name: lower-case letters, digits, "-" and "."`);
  }
  return name;
}

function readContainers(reader: Reader): PolicyLayer['containers'] | undefined {
  if (typeof reader.value === 'string') return reader.report(`must be a list; write [${quoted(reader.value)}]`);
  const names = reader.names('container', BOUNDS.containers, BOUNDS.containerName, nameProblem);
  if (names === undefined) return undefined;
  if (!names.includes('*')) return names;
  return names.length === 1 ? 'all' : reader.report('"*" is every application container: list it alone');
}

/** A name that no container can have is a mistake: the policy would never speak for it. */
function nameProblem(name: string): string | undefined {
  if (name === '*' || isDnsLabel(name)) return undefined;
  return `${quoted(name)} is not a container name: lower-case letters, digits and "-", such as "app"`;
}

function readLayerPort(reader: Reader): Pick<PolicyLayer, 'port'> {
  if (reader.isAbsent) return {};
  if (reader.isNull) return { port: null };
  const port = readPort(reader);
  return port === undefined ? {} : { port };
}

function readProbes(spec: Reader): PolicyLayer['probes'] {
  const endpoints = spec.at('kubernetesProbeEndpoints');
  const probes = spec.at('probes');
  for (const field of [endpoints, probes]) if (!field.isAbsent && !field.isNull) readProbeKinds(field);
  const defaults: Partial<Record<ProbeKind, ProbeDefault>> = {};
  for (const kind of PROBE_KINDS) {
    const value = readProbeDefault(kind, probes.at(kind), endpoints.at(kind));
    if (value !== undefined) defaults[kind] = value;
  }
  return defaults;
}

/** The keys are the probes' own names; `liveness`, which people try first, gets the right one suggested. */
function readProbeKinds(reader: Reader): void {
  for (const key of Object.keys(reader.anyObject() ?? {})) {
    if (reader.isFull) break;
    if ((PROBE_KINDS as readonly string[]).includes(key)) continue;
    reader.report(`unknown probe${didYouMean(key, PROBE_KINDS) || `; known here: ${PROBE_KINDS.join(', ')}`}`, key);
  }
}
