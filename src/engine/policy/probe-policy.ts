import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { BOUNDS, specSizeProblem } from './bounds.ts';
import { readExceptionSettings, type ExceptionSettings } from './exception-rules.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { readCheckSettings, type CheckSettings } from './check-settings.ts';
import { imagePatternProblem } from './image-pattern.ts';
import { readLabelSelector, type LabelSelector } from './label-selector.ts';
import { readPort, readProbeDefault, type ProbeDefault } from './probe-default.ts';
import { containerNameProblem, readApiVersion, readObjectName } from './object-names.ts';
import { defined, nullable, optional, Reader, type Problem } from './reader.ts';
import { INT32_MAX } from '../probe/go-values.ts';
import { readSlowStart, type SlowStart } from './slow-start.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import type { CheckCatalogue } from './check-catalogue.ts';

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
  { readonly policy: ProbePolicy; readonly warnings: readonly Problem[] } | { readonly problems: readonly Problem[] };

/** Reads a policy from a file or a custom resource. Unknown keys are problems; all have their paths. */
export function parseProbePolicy(catalogue: CheckCatalogue, document: unknown): PolicyParse {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const reader = new Reader(document, [], problems, warnings);
  const policy = readPolicy(catalogue, reader);
  // JSON.stringify overflows the stack on deep values. A spec that was read without a problem is not deep.
  if (policy !== undefined && problems.length === 0) {
    const spec = reader.at('spec');
    const problem = specSizeProblem(utf8Length(JSON.stringify(spec.value)));
    if (problem !== undefined) spec.report(problem);
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
  if (spec.isAbsent || spec.isNull) return spec.report('must be given; {} is a policy that says nothing');
  const isCluster = kind === 'ClusterProbePolicy';
  for (const field of isCluster ? [] : CLUSTER_SPEC_FIELDS)
    if (!spec.at(field).isAbsent) spec.at(field).report('only a ClusterProbePolicy has this field');
  if (spec.object([...SPEC_FIELDS, ...CLUSTER_SPEC_FIELDS]) === undefined) return undefined;

  const { name, namespace } = metadata;
  const selector = optional((field) => readLabelSelector(field));
  const images = optional((field) => field.names('image', BOUNDS.images, BOUNDS.imagePattern, imagePatternProblem))(
    spec.at('images'),
  );
  if (images !== undefined && !spec.at('checks').isAbsent)
    spec
      .at('checks')
      .report('a policy with images sets no checks: they are for containers by name; write another policy');
  return defined<ProbePolicy>({
    kind,
    name,
    namespace,
    source: [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/'),
    workloadSelector: selector(spec.at('workloadSelector')),
    ...(isCluster ? readClusterFields(catalogue, spec, selector) : { priority: 0 }),
    containers: optional(readContainers)(spec.at('containers')) ?? (images === undefined ? 'main' : 'all'),
    images,
    port: nullable(readPort)(spec.at('port')),
    probes: readProbes(spec),
    slowStart: optional(readSlowStart)(spec.at('slowStart')) ?? {},
    checks: optional((field) => readCheckSettings(catalogue, field, isCluster))(spec.at('checks')) ?? new Map(),
  });
}

const SPEC_FIELDS = [
  'workloadSelector',
  'containers',
  'images',
  'port',
  'kubernetesProbeEndpoints',
  'probes',
  'slowStart',
  'checks',
] as const;
const CLUSTER_SPEC_FIELDS = ['namespaceSelector', 'priority', 'annotations', 'exceptions'] as const;

function readClusterFields(
  catalogue: CheckCatalogue,
  spec: Reader,
  selector: (field: Reader) => LabelSelector | undefined,
): Pick<ProbePolicy, 'priority' | 'namespaceSelector' | 'annotations' | 'exceptions'> {
  return {
    ...defined({
      namespaceSelector: selector(spec.at('namespaceSelector')),
      annotations: optional((field) => field.oneOf(['Allow', 'Ignore'] as const))(spec.at('annotations')),
      exceptions: optional((field) => readExceptionSettings(catalogue, field))(spec.at('exceptions')),
    }),
    priority: optional((field) => field.integer(-INT32_MAX - 1, INT32_MAX))(spec.at('priority')) ?? 0,
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
  for (const field of [endpoints, probes]) if (!field.isAbsent && !field.isNull) readProbeKinds(field);
  return defined(
    Object.fromEntries(PROBE_KINDS.map((kind) => [kind, readProbeDefault(kind, probes.at(kind), endpoints.at(kind))])),
  );
}

/** The keys are the probes' own names; `liveness`, which people try first, gets the right one suggested. */
function readProbeKinds(reader: Reader): void {
  for (const key of Object.keys(reader.anyObject() ?? {})) {
    if (reader.isFull) break;
    if ((PROBE_KINDS as readonly string[]).includes(key)) continue;
    reader.report(`unknown probe${didYouMean(key, PROBE_KINDS) || `; known here: ${PROBE_KINDS.join(', ')}`}`, key);
  }
}
