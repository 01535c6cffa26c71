import { compareText } from '../base/text/cut.ts';
import { Gauge, type Registry } from 'prom-client';

/** The label value of all namespaces beyond the limit. No namespace can have this name. */
export const OTHER_NAMESPACES = '_other';
/** A metric has series for at most so many namespaces: those with the largest sums. */
const MOST_NAMESPACES = 200;

/** Registers a gauge without labels. `value` = what to show now; undefined = what was shown before. */
export function gauge(name: string, help: string, registers: Registry[], value: () => number | undefined): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const now = value();
      if (now !== undefined) this.set(now);
    },
  });
}

/**
 * Registers a gauge by namespace and more labels. Tenants choose the names of namespaces, and a cluster may have tens
 * of thousands, so the namespaces with the smallest sums share one label value.
 *
 * @param found the namespace of each thing to count now, and the values of the other labels, joined by spaces
 */
export function namespaceGauge(
  name: string,
  help: string,
  found: () => readonly (readonly [namespace: string, values: string])[],
  registers: Registry[],
  labels: readonly string[] = ['cause'],
): void {
  new Gauge({
    name,
    help,
    labelNames: ['namespace', ...labels],
    registers,
    collect() {
      this.reset();
      for (const [namespace, all] of byNamespace(found()))
        for (const [values, { length }] of Map.groupBy(all, (one) => one)) {
          const given = values.split(' ').map((value, index) => [labels[index] ?? '', value] as const);
          this.set({ namespace, ...(Object.fromEntries(given) as Record<string, string>) }, length);
        }
    },
  });
}

export function byNamespace(
  found: readonly (readonly [namespace: string, cause: string])[],
  most = MOST_NAMESPACES,
): ReadonlyMap<string, readonly string[]> {
  const causes = [...Map.groupBy(found, ([namespace]) => namespace)]
    .map(([namespace, own]) => [namespace, own.map(([, cause]) => cause)] as const)
    .sort(([one, ofOne], [other, ofOther]) => ofOther.length - ofOne.length || compareText(one, other));
  const others = causes.slice(most).flatMap(([, own]) => own);
  return new Map([...causes.slice(0, most), ...(others.length > 0 ? [[OTHER_NAMESPACES, others] as const] : [])]);
}
