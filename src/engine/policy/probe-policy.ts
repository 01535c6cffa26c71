import { quoted } from '../../base/json/quoted-value.ts';
import { boundProblem, textLength, type Bound } from './bound.ts';
import type { HandlerFields, HandlerKind, ProbeInteger, ProbeKind } from '../probe/probe.ts';
import type { LearnedSettings } from '../time/learned-start.ts';
import type { CheckSettings } from './check-parameters.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ExceptionSettings } from './probe-exception.ts';

export const POLICY_KINDS = ['ProbePolicy', 'ClusterProbePolicy'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

/** A handler: one of the four kinds, with its fields as written. A policy's httpGet may lack the port. */
export interface HandlerDefault {
  readonly kind: HandlerKind;
  readonly fields: HandlerFields;
}

/**
 * One policy's settings for one probe. `removed` (a null in the policy, or `disabled: true`): the probe is never
 * injected. An integer that is null resets a lower layer's value to the API server's default.
 */
export interface ProbeDefault {
  readonly removed?: true;
  readonly handler?: HandlerDefault;
  /** What is written in `kubernetesProbeEndpoints` only: the handler (or its null), or the path of the handler. */
  readonly short?: 'handler' | 'path';
  readonly integers: Readonly<Partial<Record<ProbeInteger, number | null>>>;
}

export interface SlowStart {
  readonly startupSeconds?: number | null;
  readonly fromInitialDelaySeconds?: number | null;
  /** How a budget follows from learned start times. An empty object switches learned budgets on. */
  readonly learned?: Partial<LearnedSettings> | null;
}

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

/** A policy as `kind/namespace/name`; without the namespace for one of the cluster. */
export function policySource(kind: string, namespace: string | undefined, name: string): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

export const PATH_BOUND: Bound = {
  maximum: 4096,
  unit: 'characters',
  at: 'kubernetesProbeEndpoints.*, probes.*.httpGet.path',
};

/** The problem with an HTTP path of a policy or annotation, as the end of a sentence; undefined for a valid path. */
export function endpointPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty; "/" is the root';
  if (!path.startsWith('/')) return `must start with "/", not ${quoted(path)}`;
  const tooLong = boundProblem(PATH_BOUND, textLength(path));
  if (tooLong !== undefined) return `${tooLong}: ${quoted(path)}`;
  if (/[\u0000-\u0020\u007f]/.test(path)) return `must have no spaces or control characters: ${quoted(path)}`;
  return undefined;
}

/** A host name or an IP address. With any other host the kubelet cannot parse the URL, and drops the probe's result. */
export const HOST_PATTERN = '^([A-Za-z0-9._-]{0,253}|\\[?[0-9A-Fa-f:.]{2,45}\\]?)$';

const HOST = new RegExp(HOST_PATTERN);

export function isHost(host: string): boolean {
  return HOST.test(host);
}
