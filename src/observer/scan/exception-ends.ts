import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';

const DAY = 24 * 60 * 60 * 1000;

/** The namespaces with an exception that ends after one instant, up to another. */
export function exceptionEnds(snapshot: Snapshot | undefined, after: number, until: number): ReadonlySet<string> {
  const ended = new Set<string>();
  for (const [namespace, exceptions] of snapshot?.facts.exceptions.byNamespace ?? [])
    if (exceptions.some((exception) => endsWithin(exception, after, until))) ended.add(namespace);
  return ended;
}

/** An exception ends at its own end, and at a whole number of days after its creation if a policy limits it so. */
function endsWithin({ expires, created }: ProbeException, after: number, until: number): boolean {
  if (expires > after && expires <= until) return true;
  if (created === undefined || until <= created) return false;
  return Math.floor((until - created) / DAY) > Math.floor((after - created) / DAY);
}
