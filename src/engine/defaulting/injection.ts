import type { Probe, ProbeKind } from '../probe/probe.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { FollowedProbe } from './handler.ts';
import type { LearnedBudget } from './startup.ts';
import type { Container } from '../workload/containers.ts';

/** A probe that a container lacks and is to be given. */
export interface Injection {
  readonly container: Container;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** Where the probe comes from: a policy as kind/namespace/name, `annotation`, or `safety`. */
  readonly source: string;
  /** The merged policy of the container. It tells which layer set each field (field-origin.ts). */
  readonly policy: ContainerPolicy;
  /** A startup probe with the handler of the liveness probe. */
  readonly copiesLiveness?: true;
  /** The author's probe that parts of the handler come from. */
  readonly follows?: FollowedProbe;
  /** A startup probe whose handler, or all of it but the path, is that of the author's own liveness probe. */
  readonly isLikeOwn?: true;
  /** periodSeconds and failureThreshold are not all the policy's, so that a restart is safe. */
  readonly isMadeSafe?: true;
  /** A startup probe that follows from the `initialDelaySeconds` of the author's liveness probe. */
  readonly followsDelay?: true;
  /** The past starts that the budget of a startup probe follows from. */
  readonly learned?: LearnedBudget;
}
