import { compareText } from '../../base/text/cut.ts';
import type { KnownStarts } from '../time/learned-start.ts';
import type { ServicesOfPod } from '../facts/services.ts';
import type { HandlerProblem } from '../defaulting/not-injected.ts';
import type { CheckPolicyByContainer } from './check-policy.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { Container, Pod } from '../workload/pod.ts';
import type { ProbePolicy } from './probe-policy.ts';

/** The label that every namespace has since Kubernetes 1.21. Policies from files can rely on this label. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';
/** Always exempt, besides the namespace of Probewright. */
export const EXEMPT_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];

/** The policy in force for one workload: layers, the lowest first, and what is merged of them. */
export interface WorkloadPolicy {
  readonly layers: readonly ProbePolicy[];
  readonly sources: readonly string[];
  readonly annotations: 'Allow' | 'Ignore';
  /** The merged settings of the checks for a container, by the container's name. */
  readonly checkPolicy: CheckPolicyByContainer;
  /** The known past starts of a container of the workload with its image. Absent when there are none. */
  readonly starts?: (container: string, image: string) => KnownStarts | undefined;
  /** The Services that select the workload's Pods. */
  readonly services: ServicesOfPod;
  /** Present where a tier injects that gives fewer probes than the webhook. */
  readonly leftOut?: WhyLeftOut | undefined;
}

/** Why a tier leaves out a probe that policies give to a Pod. Undefined for a probe that it injects. */
export type WhyLeftOut = (pod: Pod) => (container: Container, probe: ProbeKind) => HandlerProblem | undefined;

/** The policies of one tier, sorted once by code units, as the API server lists them. */
export interface PolicyTier {
  readonly policies: readonly ProbePolicy[];
  readonly cluster: readonly ProbePolicy[];
  readonly byNamespace: ReadonlyMap<string, readonly ProbePolicy[]>;
}

/**
 * Sorts the policies of a tier into layers, lowest first: ClusterProbePolicies by priority then name; a namespace's
 * ProbePolicies without workloadSelector by name, then those with one by name.
 */
export function policyTier(policies: readonly ProbePolicy[]): PolicyTier {
  const cluster = policies
    .filter(({ kind }) => kind === 'ClusterProbePolicy')
    .sort((a, b) => a.priority - b.priority || compareText(a.name, b.name));
  const selecting = ({ workloadSelector }: ProbePolicy): number => Number(workloadSelector !== undefined);
  const namespaced = policies
    .filter(({ namespace }) => namespace !== undefined)
    .sort((a, b) => selecting(a) - selecting(b) || compareText(a.name, b.name));
  return { policies, cluster, byNamespace: Map.groupBy(namespaced, ({ namespace = '' }) => namespace) };
}
