import type { Snapshot } from '../../facts/snapshot.ts';

/** The part of an exception that tells when it ends. Instants are in milliseconds since the epoch. */
interface Ending {
  readonly expires?: number;
  /** When the exception was created: policies may limit how long it counts from there. */
  readonly created?: number;
}

const DAY = 24 * 60 * 60 * 1000;

/** The namespaces with an exception that ends after one instant, up to another. */
export function exceptionEnds(snapshot: Snapshot | undefined, after: number, until: number): ReadonlySet<string> {
  const ended = new Set<string>();
  const { byNamespace } = (snapshot?.facts.exceptions ?? {}) as {
    readonly byNamespace?: ReadonlyMap<string, readonly Ending[]>;
  };
  for (const [namespace, exceptions] of byNamespace ?? [])
    if (exceptions.some((exception) => endsWithin(exception, after, until))) ended.add(namespace);
  return ended;
}

/** An exception ends at its own end, and at a whole number of days after its creation if a policy limits it so. */
function endsWithin({ expires, created }: Ending, after: number, until: number): boolean {
  if (expires !== undefined && expires > after && expires <= until) return true;
  if (created === undefined || until <= created) return false;
  return Math.floor((until - created) / DAY) > Math.floor((after - created) / DAY);
}
