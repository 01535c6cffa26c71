import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** What a check has against the probes of a container, one by one. Nearly always nothing, of which no list is made. */
export function eachProbe(
  { probes }: Pick<CheckedContainer, 'probes'>,
  judge: (probe: CheckedProbe) => Finding | undefined,
): readonly Finding[] {
  let findings: Finding[] | undefined;
  for (const probe of probes) {
    const finding = judge(probe);
    if (finding !== undefined) (findings ??= []).push(finding);
  }
  return findings ?? NOTHING;
}

const NOTHING: readonly Finding[] = [];
