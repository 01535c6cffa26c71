import { jsonText, visible } from '../../base/text/visible.ts';
import { findingKey, objectName, type ShownReport } from './report.ts';
import { fingerprints, pathInRepository } from './sarif.ts';
import { shownViolation } from './text.ts';
import type { FilePlace } from '../output/json-outputs.ts';

/** GitLab's severities are info, minor, major, critical and blocker. */
const SEVERITY = { Deny: 'critical', Warn: 'major', Audit: 'info', Excepted: 'info' } as const;

/** A Code Quality report of GitLab, which a merge request shows: a list of findings, each with its own fingerprint. */
export function gitlabReport({ violations, problems }: ShownReport): string {
  const fingerprintOf = fingerprints();
  const issue = (check: string, severity: string, place: FilePlace, key: string, text: string): object => ({
    description: visible(text),
    check_name: check,
    fingerprint: fingerprintOf(key),
    severity,
    location: { path: pathInRepository(place.file).toWellFormed(), lines: { begin: place.line } },
  });
  const issues = [
    ...violations.map((of) =>
      issue(of.check, SEVERITY[of.action], of, findingKey(of), `${objectName(of)}: ${shownViolation(of)}`),
    ),
    ...problems.map((of) => issue('input', 'blocker', of, `${of.file} ${of.message}`, of.message)),
  ];
  return `${jsonText(issues, undefined, 2)}\n`;
}
