import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Collects the findings of a check for each probe of a container. Most probes have no finding, so no list is allocated
 * for them.
 */
export function eachProbe(
  { probes }: Pick<CheckedContainer, 'probes'>,
  violationOf: (probe: CheckedProbe) => Finding | undefined,
): readonly Finding[] {
  let findings: Finding[] | undefined;
  for (const probe of probes) {
    const finding = violationOf(probe);
    if (finding !== undefined) (findings ??= []).push(finding);
  }
  return findings ?? NOTHING;
}

const NOTHING: readonly Finding[] = [];
