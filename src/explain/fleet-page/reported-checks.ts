import { CHECKS } from '../../engine/checks/catalogue.ts';
import { checkUrl } from '../../engine/checks/lib/check-url.ts';
import type { ReportedCheck } from './report.ts';

/** All checks of this build, in the order of the catalogue. */
export function reportedChecks(): ReadonlyMap<string, ReportedCheck> {
  return new Map(CHECKS.map(({ id, summary }) => [id, { summary, url: checkUrl(id) }]));
}
