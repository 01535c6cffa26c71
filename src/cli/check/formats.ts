import { checkUrl } from '../../engine/checks/violation.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { without } from '../../base/json/json-value.ts';
import { jsonText, escapeXml, visible } from '../../base/text/visible.ts';
import { objectName, type PlacedViolation, type ShownReport } from './report.ts';
import { findingLine, shownViolation, totalsOf } from './text.ts';
import { markdownDocument } from '../output/markdown.ts';
import { PLAIN } from '../output/screen.ts';
import type { CheckOutput, ListedViolation, FilePlace } from '../output/json-outputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/**
 * One object for programs, with the values of the manifests unchanged. `path` is the field, `message` the problem
 * without the field, `remedy` what to write. `advice` has the remedy as edits; a null value removes a field. `problems`
 * lists what could not be read.
 */
export function jsonReport({ violations, problems, lacking = [], exempt = [], summary }: ShownReport): string {
  const report: CheckOutput = {
    violations: violations.map((of) => listedViolation(of, { file: of.file, line: of.line, column: of.column })),
    problems: problems.map(({ file, line, column, message }) => ({ file, line, column, message })),
    ...(lacking.length > 0 && { lacking }),
    ...(exempt.length > 0 && { exempt }),
    summary,
  };
  return `${jsonText(report, undefined, 2)}\n`;
}

/**
 * A violation for programs.
 *
 * @param place the place in a file, if there is one. It comes right behind the path, so that a person finds both
 */
export function listedViolation<Place extends object>(
  { check, action, message, remedy, edits, path, ...violation }: PlacedViolation,
  place: Place,
): ListedViolation & Place {
  const { kind, namespace, name, container, probe, properties, workloads, exception, ended } = violation;
  return {
    check,
    action,
    message,
    ...(remedy !== undefined && { remedy }),
    ...(edits !== undefined && { advice: edits.map((edit) => ({ ...edit, path: formatPath(edit.path) })) }),
    path: formatPath(path),
    ...place,
    kind,
    namespace,
    name,
    container,
    ...(probe !== undefined && { probe }),
    ...(properties !== undefined && { properties }),
    ...(workloads !== undefined && { workloads }),
    ...(exception !== undefined && { exception: without(exception, 'isEnding') }),
    ...(ended !== undefined && { endedException: without(ended, 'isEnding') }),
    url: checkUrl(check),
  };
}

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
  const failed = `<${result} message="${shown}" type="${escapeXml(className)}">${shown}</${result}>`;
  const passed = text === '' ? '' : `<system-out>${shown}</system-out>`;
  const content = result === 'passed' ? passed : failed;
  return `    <testcase ${names} file="${escapeXml(file)}" line="${line}">${content}</testcase>\n`;
}

/** A summary for a job of GitHub, or for a comment: the numbers, and the findings of each check. */
export function markdownReport(report: ShownReport): string {
  const ofChecks = [...Map.groupBy(report.violations, ({ check }) => check)].map(([check, found]) => ({
    title: `[${check}](${checkUrl(check)})`,
    lines: found.map((of) => findingLine(of, PLAIN, report)),
  }));
  const ofInputs = report.problems.map(({ file, line, message }) => `${file}:${line}: ${message}`);
  const sections = [...ofChecks, { title: 'Inputs that cannot be read', lines: ofInputs }];
  const shown = sections.filter((section) => section.lines.length > 0);
  return markdownDocument(`**Probewright: ${totalsOf(report)}**\n`, shown, 'check', 'probewright check');
}

const COMMAND = { Deny: 'error', Warn: 'warning', Audit: 'notice', Excepted: 'notice' } as const;
type Command = 'error' | 'warning' | 'notice';

/** GitHub Actions workflow commands: annotations on the lines of a pull request. */
export function githubReport({ violations, problems }: ShownReport): string {
  return [
    ...violations.map((of) => annotation(COMMAND[of.action], of, of.check, `${objectName(of)}: ${shownViolation(of)}`)),
    ...problems.map((problem) => annotation('error', problem, 'probewright', problem.message)),
  ].join('');
}

/** One workflow command. Title and text may hold anything. */
export function annotation(command: Command, { file, line, column }: FilePlace, title: string, text: string): string {
  return `::${command} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}\n`;
}

/**
 * The escapes of actions/toolkit's workflow commands, which the runner decodes. Line ends are hidden characters, and
 * escaped before.
 */
const data = (text: string): string => visible(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
