import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** The label value of all namespaces beyond the limit. No namespace can have this name. */
export const OTHER_NAMESPACES = '_other';
/** A metric has series for at most so many namespaces: those with the largest sums. */
const MOST_NAMESPACES = 200;

/**
 * Registers a gauge by namespace and cause. Tenants choose the names of namespaces, and a cluster may have tens of
 * thousands, so the namespaces with the smallest sums share one label value.
 *
 * @param counts what to show now, by namespace and cause
 */
export function namespaceGauge(
  name: string,
  help: string,
  counts: () => ReadonlyMap<string, ReadonlyMap<string, number>>,
  registers: Registry[],
): void {
  new Gauge({
    name,
    help,
    labelNames: ['namespace', 'cause'],
    registers,
    collect() {
      this.reset();
      for (const [namespace, byCause] of withinLimit(counts())) {
        for (const [cause, count] of byCause) this.set({ namespace, cause }, count);
      }
    },
  });
}

/** The counts with at most MOST_NAMESPACES namespaces; the others are added up. */
export function withinLimit(
  counts: ReadonlyMap<string, ReadonlyMap<string, number>>,
  most = MOST_NAMESPACES,
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  if (counts.size <= most) return counts;
  const sum = (byCause: ReadonlyMap<string, number>): number =>
    [...byCause.values()].reduce((total, one) => total + one, 0);
  const sorted = [...counts].toSorted(
    ([one, ofOne], [other, ofOther]) => sum(ofOther) - sum(ofOne) || (one < other ? -1 : 1),
  );
  const others = new Map<string, number>();
  for (const [, byCause] of sorted.slice(most))
    for (const [cause, count] of byCause) others.set(cause, (others.get(cause) ?? 0) + count);
  return new Map([...sorted.slice(0, most), [OTHER_NAMESPACES, others]]);
}

/** Adds to a count by namespace and cause. */
export function addCount(counts: Map<string, Map<string, number>>, namespace: string, cause: string, more = 1): void {
  const byCause = counts.get(namespace) ?? new Map<string, number>();
  byCause.set(cause, (byCause.get(cause) ?? 0) + more);
  counts.set(namespace, byCause);
}
