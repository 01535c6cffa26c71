import { describe, expect, it } from 'vitest';
import { gitlabReport } from '../../../src/cli/check/gitlab.ts';
import { LEGACY, placedViolation, reportWith } from './placed-violations.ts';

interface Issue {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

const issuesOf = (...given: Parameters<typeof reportWith>): readonly Issue[] =>
  JSON.parse(gitlabReport(reportWith(...given))) as Issue[];

describe('a Code Quality report', () => {
  it('has the severity of each action', () => {
    const violations = (['Deny', 'Warn', 'Audit'] as const).map((action) => placedViolation({ action }));
    const excepted = placedViolation({ action: 'Excepted', exception: LEGACY });
    const severities = issuesOf([...violations, excepted]).map(({ severity }) => severity);
    expect(severities).toEqual(['critical', 'major', 'info', 'info']);
  });

  it('names object, field, problem, remedy and check, at the line of a path without ./', () => {
    const [issue, ...others] = issuesOf([placedViolation({ file: './apps/web.yaml', remedy: 'write port: http' })]);
    expect(others).toEqual([]);
    expect(issue).toEqual({
      description:
        'Deployment shop/web: spec.template.spec.containers[0].readinessProbe.httpGet.port: ' +
        'container "app" declares no port named "htpp"; write port: http (named-port)',
      check_name: 'named-port',
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}:1$/) as string,
      severity: 'critical',
      location: { path: 'apps/web.yaml', lines: { begin: 19 } },
    });
  });

  it('shows an input that cannot be read as a blocker, and hidden characters as escapes', () => {
    const problem = { file: 'b.yaml', line: 3, column: 9, message: 'a \u202e tab' };
    const [issue] = issuesOf([], { problems: [problem] });
    expect(issue).toMatchObject({ check_name: 'input', severity: 'blocker', description: 'a \\u202e tab' });
    expect(issue?.location).toEqual({ path: 'b.yaml', lines: { begin: 3 } });
  });

  it('tells equal findings and equal problems apart, and problems of two files', () => {
    const problem = { file: 'b.yaml', line: 3, column: 9, message: 'cannot be read' };
    const problems = [problem, { ...problem, line: 9 }, { ...problem, file: 'c.yaml' }];
    const prints = issuesOf([placedViolation(), placedViolation({ line: 40 })], { problems }).map(
      ({ fingerprint }) => fingerprint,
    );
    expect(prints.map((print) => print.split(':')[1])).toEqual(['1', '2', '1', '2', '1']);
    expect(new Set(prints).size).toBe(5);
  });
});
