import { escapeXml } from '../../base/text/visible.ts';
import { objectName, type PlacedViolation, type ShownReport } from './report.ts';
import { shownViolation } from './text.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/**
 * JUnit XML as GitLab and Jenkins read it: a suite for each file, a test case for each violation and each input error.
 * A violation that denies is a failure. A warning or a note is a passed case with output. A run without cases has one
 * passed case, as readers take an empty file for a crash.
 */
export function junitReport({ violations, problems }: ShownReport): string {
  const cases = [...violations.map(violationCase), ...problems.map(problemCase)];
  const suites = [...Map.groupBy(cases, ({ file }) => file)].map(([file, own]) => suite(file, own));
  const body = suites.length > 0 ? suites.join('') : SUITE_WITHOUT_VIOLATIONS;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="probewright" ${counts(cases, Math.max(1, cases.length))}>\n${body}</testsuites>\n`
  );
}

interface TestCase {
  readonly file: string;
  readonly result: 'passed' | 'failure' | 'error';
  readonly element: string;
}

const SUITE_WITHOUT_VIOLATIONS =
  `  <testsuite name="probewright" ${counts([], 1)}>` +
  '<testcase name="no violations" classname="probewright"/></testsuite>\n';

function suite(file: string, cases: readonly TestCase[]): string {
  const start = `  <testsuite name="${escapeXml(file)}" ${counts(cases, cases.length)}>`;
  return `${start}\n${cases.map(({ element }) => element).join('')}  </testsuite>\n`;
}

function counts(cases: readonly TestCase[], tests: number): string {
  const count = (wanted: TestCase['result']): number => cases.filter(({ result }) => result === wanted).length;
  return `tests="${tests}" failures="${count('failure')}" errors="${count('error')}"`;
}

function violationCase(violation: PlacedViolation): TestCase {
  const { check, kind, namespace, name, container, probe, file, line, action } = violation;
  const title = `${objectName({ kind, namespace, name })} ${[container, probe].filter(Boolean).join('.')}: ${check}`;
  const text = escapeXml(`${file}:${line}: ${shownViolation(violation)}`);
  const isFailure = action === 'Deny';
  const content = isFailure
    ? `<failure message="${text}" type="${escapeXml(check)}">${text}</failure>`
    : `<system-out>${action}: ${text}</system-out>`;
  return { file, result: isFailure ? 'failure' : 'passed', element: element(title, check, { file, line }, content) };
}

function problemCase({ file, line, message }: FileProblem): TestCase {
  const text = escapeXml(`${file}:${line}: ${message}`);
  const content = `<error message="${text}" type="input">${text}</error>`;
  return { file, result: 'error', element: element(`input: ${message}`, 'input', { file, line }, content) };
}

function element(
  name: string,
  className: string,
  { file, line }: Pick<FileProblem, 'file' | 'line'>,
  content: string,
): string {
  const names = `name="${escapeXml(name)}" classname="${escapeXml(className)}"`;
  return `    <testcase ${names} file="${escapeXml(file)}" line="${line}">${content}</testcase>\n`;
}
