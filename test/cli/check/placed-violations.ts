import { NO_COVERAGE } from '../no-coverage.ts';
import { NOTHING_LEFT_OUT, shownReport } from '../../../src/cli/check/report.ts';
import type { CheckReport, PlacedViolation, Selection, ShownReport } from '../../../src/cli/check/report.ts';

/** A violation of a probe of a Deployment, at `apps/web.yaml:19:15`. */
export function placedViolation(changes: Partial<PlacedViolation> = {}): PlacedViolation {
  return {
    ...{ check: 'named-port', action: 'Deny', container: 'app', file: 'apps/web.yaml', line: 19, column: 15 },
    ...{ kind: 'Deployment', namespace: 'shop', name: 'web', probe: 'readinessProbe' },
    path: ['spec', 'template', 'spec', 'containers', 0, 'readinessProbe', 'httpGet', 'port'],
    message: 'container "app" declares no port named "htpp"',
    ...changes,
  };
}

export const LEGACY = {
  ...{ name: 'legacy', owner: 'team-a', reason: 'moves in spring', ticket: 'SHOP-7' },
  ...{ expires: '2027-03-31T00:00:00Z', isEnding: false },
};

/** What is printed of these findings. */
export function reportWith(
  violations: readonly PlacedViolation[],
  others: Partial<CheckReport> & Pick<ShownReport, 'texts'> = {},
  selection: Partial<Selection> = { minLevel: 'note' },
): ShownReport {
  const summary = { objects: 2, workloads: 1, coverage: NO_COVERAGE };
  const report = { violations, summary, warnings: [], problems: [], ...others };
  return shownReport(report, { ...NOTHING_LEFT_OUT, ...selection });
}
