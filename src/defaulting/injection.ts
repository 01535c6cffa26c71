import type { Probe, ProbeKind } from '../probes/probe.ts';
import type { Container } from '../workload/containers.ts';

/** A probe that a container lacks and is to be given. */
export interface Injection {
  readonly container: Container;
  readonly kind: ProbeKind;
  readonly probe: Probe;
  /** Where the probe comes from: a policy as kind/namespace/name, `annotation`, or `safety`. */
  readonly source: string;
  /** A startup probe that follows from the `initialDelaySeconds` of the author's liveness probe. */
  readonly followsDelay?: true;
}
