import { injectionAt } from '../defaulting/injection.ts';
import type { NotInjected, ReasonCode } from '../defaulting/not-injected.ts';
import { hasProbe, mayHaveProbes, type Container, type Pod } from '../workload/pod.ts';
import { asCreated } from '../workload/read-pod.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import { layersWithProbes } from '../policy/container-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';

/** The probes that coverage counts: a container without one of them has nobody who looks after it. */
export const COVERED_PROBES = ['livenessProbe', 'readinessProbe'] as const;
export type CoveredProbe = (typeof COVERED_PROBES)[number];

/**
 * `no-policy`: no policy for the Pod asks for probes. `namespace-unknown`: none is known to, as labels of the namespace
 * are missing. `not-selected`: the policies select other containers.
 */
export type LackReason = ReasonCode | 'no-policy' | 'namespace-unknown' | 'not-selected';

/** A container's coverage by one probe: its own probe, a probe from a policy, or no probe for a reason. */
export type ProbeCover = 'have' | 'get' | LackReason;

export interface TemplateCoverage {
  /** Of each application container and native sidecar: the only containers that are expected to have probes. */
  readonly containers: readonly Readonly<Record<CoveredProbe, ProbeCover>>[];
  /** Set when policies want the main container and no main container can be determined. */
  readonly noMainContainer?: { readonly policies: readonly string[]; readonly detail: string };
}

export function coverageOf(pod: Pod, policy: WorkloadPolicy): TemplateCoverage {
  const { injections, notInjected } = permittedDefaulting(pod, policy);
  const asking = layersWithProbes(policy.layers);
  const coverOf = (container: Container, probe: CoveredProbe): ProbeCover => {
    if (hasProbe(container, probe)) return 'have';
    if (injectionAt(injections, container, probe) !== undefined) return 'get';
    if (!pod.runsForever || !container.runsForever) return 'run-to-completion';
    return asking.length === 0 ? 'no-policy' : reasonFor(container, probe, notInjected);
  };
  const containers = asCreated(pod)
    .containers.filter(mayHaveProbes)
    .map((container) => ({
      livenessProbe: coverOf(container, 'livenessProbe'),
      readinessProbe: coverOf(container, 'readinessProbe'),
    }));
  const problem = notInjected.find(({ code }) => code === 'no-main-container');
  if (problem === undefined) return { containers };
  const policies = asking.filter((layer) => layer.containers === 'main').map(({ source }) => source);
  return { containers, noMainContainer: { policies, detail: problem.detail } };
}

function reasonFor({ name, role }: Container, probe: CoveredProbe, reasons: readonly NotInjected[]): LackReason {
  const own = reasons.find((reason) => reason.container === name && (reason.probe ?? probe) === probe);
  if (own !== undefined) return own.code;
  const ofPod = reasons.find(({ container }) => container === undefined)?.code ?? 'not-selected';
  // Policies with `containers: main` do not speak of native sidecars.
  return ofPod === 'no-main-container' && role === 'sidecar' ? 'not-selected' : ofPod;
}
