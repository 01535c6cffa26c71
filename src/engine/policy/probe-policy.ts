import type { ProbeKind } from '../probe/probe.ts';
import type { LearnedSettings } from '../probe/startup-budget.ts';
import type { CheckSettings } from './check-parameters.ts';
import type { LabelSelector } from './label-selector.ts';
import type { ProbeDefault } from './probe-default.ts';
import type { ExceptionSettings } from './probe-exception.ts';

export const POLICY_KINDS = ['ProbePolicy', 'ClusterProbePolicy'] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

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
