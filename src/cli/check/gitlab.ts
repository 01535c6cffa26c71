import { jsonText, visible } from '../../base/text/visible.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { fingerprints, pathInRepository } from './code-host.ts';
import { partsOf } from './finding-parts.ts';
import type { ShownReport } from './report.ts';
import type { FilePlace } from '../output/json-outputs.ts';

/** A Code Quality report of GitLab, which a merge request shows: a list of findings, each with its own fingerprint. */
export function gitlabReport({ violations, problems }: ShownReport): string {
  const fingerprintOf = fingerprints();
  const issue = (check: string, severity: string, place: FilePlace, key: string, text: string): object => ({
    description: visible(text),
    check_name: check,
    fingerprint: fingerprintOf(key),
    severity,
    location: { path: pathInRepository(place.file).toWellFormed(), lines: { begin: Math.max(1, place.line) } },
  });
  const issues = [
    ...violations.map((of) => {
      const { object, text, identity } = partsOf(of);
      return issue(of.check, LEVELS_OF[of.action].gitlab, of, identity, `${object}: ${text}`);
    }),
    ...problems.map((of) => issue('input', 'blocker', of, `${of.file} ${of.message}`, of.message)),
  ];
  return `${jsonText(issues, undefined, 2)}\n`;
}
