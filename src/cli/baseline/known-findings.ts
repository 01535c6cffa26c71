import { findingKey } from '../finding-identity.ts';
import type { CheckReport } from '../check-report.ts';
import type { FindingIdentity } from '../finding-identity.ts';

/** A report without the findings that a baseline knows. */
export interface UnknownFindings {
  readonly report: CheckReport;
  /** The number of findings that the baseline knows. */
  readonly known: number;
  /** The entries of the baseline that no finding matches, in the order of the baseline. */
  readonly stale: readonly FindingIdentity[];
}

/** Leaves known findings out. An entry is for one finding: of two equal findings, one entry hides the first. */
export function withoutKnown(report: CheckReport, entries: readonly FindingIdentity[]): UnknownFindings {
  const left = new Map<string, FindingIdentity[]>();
  for (const entry of entries.toReversed()) {
    const key = findingKey(entry);
    const same = left.get(key);
    if (same === undefined) left.set(key, [entry]);
    else same.push(entry);
  }
  const matched = new Set<FindingIdentity>();
  const violations = report.violations.filter((violation) => {
    const entry = left.get(findingKey(violation))?.pop();
    if (entry !== undefined) matched.add(entry);
    return entry === undefined;
  });
  return {
    report: { ...report, violations },
    known: matched.size,
    stale: entries.filter((entry) => !matched.has(entry)),
  };
}
