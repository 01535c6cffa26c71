import type { ProbeKind } from '../../engine/probe/probe.ts';

/** The conditions, beside the figures, that decide what happens to a container. */
export interface Circumstances {
  /** The kubelet may start the container again after a probe has killed it. */
  readonly restarts: boolean;
  /** Probes that never have a result. */
  readonly mute: readonly ProbeKind[];
  readonly hasLiveness: boolean;
}

/** True when the container can never be Ready, because the probe that decides on that never has a result. */
export function isNeverReady({ mute }: Circumstances): boolean {
  return mute.includes('startupProbe') || mute.includes('readinessProbe');
}
