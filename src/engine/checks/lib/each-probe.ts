import { isJsonObject, member, stringMember } from '../../../base/json/json-value.ts';
import { MOST_PROBE_FINDINGS } from '../check.ts';
import type { CheckedContainer, Finding } from '../check.ts';
import type { CheckedProbe } from '../checked-probe.ts';

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

/** A header of an HTTP probe that has a value. `name` is '' when it is missing. */
export interface CheckedHeader {
  readonly name: string;
  readonly value: string;
  /** Place in the list of headers. */
  readonly index: number;
}

/** Collects the findings of a check for each header of each HTTP probe, at most MOST_PROBE_FINDINGS for one probe. */
export function eachHeader(
  { probes }: Pick<CheckedContainer, 'probes'>,
  violationOf: (probe: CheckedProbe, header: CheckedHeader) => Finding | undefined,
): Finding[] {
  return probes.flatMap((probe) => {
    const headers = probe.handlerKind === 'httpGet' ? member(probe.handler, 'httpHeaders') : undefined;
    if (!Array.isArray(headers)) return [];
    const findings: Finding[] = [];
    for (const [index, header] of (headers as unknown[]).entries()) {
      if (findings.length === MOST_PROBE_FINDINGS) break;
      const value = isJsonObject(header) ? stringMember(header, 'value') : undefined;
      if (!isJsonObject(header) || value === undefined) continue;
      const finding = violationOf(probe, { name: stringMember(header, 'name') ?? '', value, index });
      if (finding !== undefined) findings.push(finding);
    }
    return findings;
  });
}
