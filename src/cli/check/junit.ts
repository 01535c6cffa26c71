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
  return testSuites([...violations.map(violationCase), ...problems.map(problemCase)], 'no violations');
}

/** A test case of a report. */
export interface TestCase {
  readonly file: string;
  readonly line: number;
  readonly title: string;
  readonly className: string;
  readonly result: 'passed' | 'failure' | 'error';
  /** Empty for a passed case that needs no words. */
  readonly text: string;
}

/**
 * The suites of a report, one for each file.
 *
 * @param none the name of the passed case of a report without cases
 */
export function testSuites(cases: readonly TestCase[], none: string): string {
  const suites = [...Map.groupBy(cases, ({ file }) => file)].map(([file, own]) => suite(file, own));
  const body = suites.length > 0 ? suites.join('') : suiteWithoutCases(none);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="probewright" ${counts(cases, Math.max(1, cases.length))}>\n${body}</testsuites>\n`
  );
}

function suiteWithoutCases(name: string): string {
  const passed = `<testcase name="${name}" classname="probewright"/>`;
  return `  <testsuite name="probewright" ${counts([], 1)}>${passed}</testsuite>\n`;
}

function suite(file: string, cases: readonly TestCase[]): string {
  const start = `  <testsuite name="${escapeXml(file)}" ${counts(cases, cases.length)}>`;
  return `${start}\n${cases.map(element).join('')}  </testsuite>\n`;
}

function counts(cases: readonly TestCase[], tests: number): string {
  const count = (wanted: TestCase['result']): number => cases.filter(({ result }) => result === wanted).length;
  return `tests="${tests}" failures="${count('failure')}" errors="${count('error')}"`;
}

function violationCase(violation: PlacedViolation): TestCase {
  const { check, kind, namespace, name, container, probe, file, line, action } = violation;
  const title = `${objectName({ kind, namespace, name })} ${[container, probe].filter(Boolean).join('.')}: ${check}`;
  const text = `${file}:${line}: ${shownViolation(violation)}`;
  const isFailure = action === 'Deny';
  const shown = isFailure ? text : `${action}: ${text}`;
  return { file, line, title, className: check, result: isFailure ? 'failure' : 'passed', text: shown };
}

function problemCase({ file, line, message }: FileProblem): TestCase {
  const text = `${file}:${line}: ${message}`;
  return { file, line, title: `input: ${message}`, className: 'input', result: 'error', text };
}

function element({ file, line, title, className, result, text }: TestCase): string {
  const names = `name="${escapeXml(title)}" classname="${escapeXml(className)}"`;
  const shown = escapeXml(text);
  const content =
    result === 'passed'
      ? text === ''
        ? ''
        : `<system-out>${shown}</system-out>`
      : `<${result} message="${shown}" type="${escapeXml(className)}">${shown}</${result}>`;
  return `    <testcase ${names} file="${escapeXml(file)}" line="${line}">${content}</testcase>\n`;
}
