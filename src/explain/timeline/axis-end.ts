import type { Span } from '../../engine/probe/timing.ts';

/** Shortest axis of a scene in which no probe kills, in seconds. */
const SHORTEST = 10;

/**
 * Where a scene's axis ends, in seconds. The axis shows the time to the verdict in full. It shows only the beginning of
 * a grace period that is longer than that time, and only the beginning of a wait for traffic that is longer than twice
 * the rest.
 */
export function axisEnd(verdict: Span | undefined, dead: Span | undefined, traffic: Span | undefined): number {
  const latestTraffic = traffic?.latest ?? 0;
  if (verdict === undefined || dead === undefined) return Math.max(SHORTEST, latestTraffic * 1.4);
  const grace = dead.latest - verdict.latest;
  const killed = grace <= verdict.latest ? dead.latest * 1.08 : verdict.latest * 1.35;
  return latestTraffic <= 2 * killed ? Math.max(killed, latestTraffic * 1.1) : killed;
}
