import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { LearnedTime } from '../time/learned-start.ts';
import type { ProbeJson, ProbeKind } from '../probe/probe.ts';
import type { Container } from '../workload/pod.ts';

/** A probe that policies give, and how it was worked out. */
export interface GivenProbe {
  readonly code?: undefined;
  readonly probe: ProbeJson;
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
  /** Before `startupSeconds` and the author's probes raise its seconds. */
  readonly learned?: LearnedTime;
  /** The time to start that a startup probe guarantees. */
  readonly budget?: StartBudget;
  /** A layer that is aimed at the container names the port. */
  readonly isPortAimed?: true;
}

/** Seconds to start, and the rule that gives them (startup.ts). */
export interface StartBudget {
  readonly seconds: number;
  readonly rule:
    | 'learned'
    | 'startupSeconds'
    | 'fromInitialDelaySeconds'
    | 'failureThreshold'
    | 'livenessProbe'
    | 'readinessProbe'
    | 'safety';
}

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

/** The injection of a probe into the container at a place: names may repeat. */
export function injectionAt(
  injections: readonly Injection[],
  { list, index }: Pick<Container, 'list' | 'index'>,
  kind: ProbeKind,
): Injection | undefined {
  return injections.find((one) => one.kind === kind && one.container.list === list && one.container.index === index);
}
