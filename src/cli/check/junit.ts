import { escapeXml } from '../../base/text/visible.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { partsOf } from './finding-parts.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedViolation, ShownReport } from './report.ts';

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
  const passed = `<testcase name="${none}" classname="probewright"/>`;
  const suiteWithoutCases = `  <testsuite name="probewright" ${counts([], 1)}>${passed}</testsuite>\n`;
  const body = suites.length > 0 ? suites.join('') : suiteWithoutCases;
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="probewright" ${counts(cases, Math.max(1, cases.length))}>\n${body}</testsuites>\n`
  );
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
  const { check, file, line, action } = violation;
  const { object, subject, text: finding } = partsOf(violation);
  const text = `${line === 0 ? file : `${file}:${line}`}: ${finding}`;
  const result = LEVELS_OF[action].junit;
  const shown = result === 'failure' ? text : `${action}: ${text}`;
  return { file, line, title: `${object} ${subject}: ${check}`, className: check, result, text: shown };
}

function problemCase({ file, line, message }: FileProblem): TestCase {
  const text = `${file}:${line}: ${message}`;
  return { file, line, title: `input: ${message}`, className: 'input', result: 'error', text };
}

function element({ file, line, title, className, result, text }: TestCase): string {
  const names = `name="${escapeXml(title)}" classname="${escapeXml(className)}"`;
  const shown = escapeXml(text);
  const failed = `<${result} message="${shown}" type="${escapeXml(className)}">${shown}</${result}>`;
  const passed = text === '' ? '' : `<system-out>${shown}</system-out>`;
  const content = result === 'passed' ? passed : failed;
  return `    <testcase ${names} file="${escapeXml(file)}"${line === 0 ? '' : ` line="${line}"`}>${content}</testcase>\n`;
}
