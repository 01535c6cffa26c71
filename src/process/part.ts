/**
 * One part of a process that runs until it is stopped: a port, a source of policies, the leader election.
 *
 * @typeParam Measures what the metrics of the process are made from; each part provides the members that it knows
 */
export interface Part<Measures extends object = object> {
  /**
   * Resolves once the parts that come later may rely on this one. Rejects when the part cannot start for a reason that
   * will not go away. A part that waits for a cluster may resolve before the cluster has answered.
   */
  start(): void | Promise<void>;
  /** Releases everything that the part holds. May be called during start, after a failed start, and more than once. */
  stop(): void | Promise<void>;
  /** This replica has become leader, or is leader no longer. May be called before start. */
  lead?(isLeader: boolean): void;
  readonly metrics?: Partial<Measures>;
}

/** The figures that all parts provide for the metrics, together. */
export function metricsOf<Measures extends object>(parts: readonly Part<Measures>[]): Partial<Measures> {
  return Object.assign({}, ...parts.map(({ metrics }) => metrics)) as Partial<Measures>;
}
