import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { Probe, ProbeKind } from '../probe/probe.ts';
import type { Container } from '../workload/containers.ts';

/** A probe that policies give, and how it was worked out. */
export interface GivenProbe {
  readonly probe: Probe;
  /** Where the probe comes from: a policy as kind/namespace/name, `annotation`, or `safety`. */
  readonly source: string;
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

/** A probe that a container lacks and is to be given. */
export interface Injection extends GivenProbe {
  readonly container: Container;
  readonly kind: ProbeKind;
  /** The merged policy of the container. It tells which layer set each field (field-origin.ts). */
  readonly policy: ContainerPolicy;
}

/** A probe of the author, and the fields of its handler that an injected handler has, too. */
export interface FollowedProbe {
  readonly kind: ProbeKind;
  readonly fields: readonly string[];
}

/** A budget that follows from past starts. */
export interface LearnedBudget {
  readonly figures: StartFigures;
  /** The result of the formula, before `startupSeconds` and the author's probes raise it. */
  readonly seconds: number;
}

/** The injection of a probe into the container at a place: names may repeat. */
export function injectionAt(
  injections: readonly Injection[],
  { list, index }: Pick<Container, 'list' | 'index'>,
  kind: ProbeKind,
): Injection | undefined {
  return injections.find((one) => one.kind === kind && one.container.list === list && one.container.index === index);
}
