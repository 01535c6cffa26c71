/** How the kubelet stops a container. */
export interface Kill {
  /** Seconds that the container has to end. */
  readonly graceSeconds: number;
  /** A preStop hook runs before SIGTERM, within the grace period. */
  readonly hasPreStop: boolean;
}

/** The shortest grace period of a kill in seconds (kuberuntime_manager.go, minimumGracePeriodInSeconds). */
export const MINIMUM_KILL_SECONDS = 2;

/**
 * Seconds from the probe's verdict to the dead container, at worst: the container ignores SIGTERM. That is max(G,2). A
 * preStop hook that hangs uses the grace period up, and the process then gets the minimum on top: G+2
 * (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer).
 */
export function longestKillSeconds({ graceSeconds, hasPreStop }: Kill): number {
  return hasPreStop ? graceSeconds + MINIMUM_KILL_SECONDS : Math.max(graceSeconds, MINIMUM_KILL_SECONDS);
}

/** The longest grace period with which a container is dead within `seconds`, if there is one. */
export function longestGraceWithin(seconds: number, { hasPreStop }: Kill): number | undefined {
  const graceSeconds = hasPreStop ? seconds - MINIMUM_KILL_SECONDS : seconds;
  return seconds >= MINIMUM_KILL_SECONDS && graceSeconds >= 1 ? graceSeconds : undefined;
}
