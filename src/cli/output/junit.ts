import { escapeXml } from '../../text/xml.ts';
import { formatViolation } from '../../checks/violation.ts';
import type { PlacedViolation } from '../check-report.ts';
import type { ShownReport } from '../shown-report.ts';

/**
 * JUnit XML as GitLab and Jenkins read it: a suite for each file, a test case for each violation. A violation that
 * denies is a failure. A warning or a note is a passed case with output. A run without violations has one passed case,
 * as readers take an empty file for a crash.
 */
export function junitReport({ violations }: ShownReport): string {
  const files = Map.groupBy(violations, ({ file }) => file);
  const suites = [...files].map(([file, found]) => suite(file, found));
  const body = suites.length > 0 ? suites.join('') : SUITE_WITHOUT_VIOLATIONS;
  const failures = violations.filter(({ action }) => action === 'Deny').length;
  const tests = Math.max(1, violations.length);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="probewright" tests="${tests}" failures="${failures}">\n${body}</testsuites>\n`
  );
}

const SUITE_WITHOUT_VIOLATIONS =
  '  <testsuite name="probewright" tests="1" failures="0">' +
  '<testcase name="no violations" classname="probewright"/></testsuite>\n';

function suite(file: string, violations: readonly PlacedViolation[]): string {
  const failures = violations.filter(({ action }) => action === 'Deny').length;
  const cases = violations.map((violation) => testCase(violation)).join('');
  const start = `  <testsuite name="${escapeXml(file)}" tests="${violations.length}" failures="${failures}">`;
  return `${start}\n${cases}  </testsuite>\n`;
}

function testCase(violation: PlacedViolation): string {
  const { check, kind, namespace, name, container, probe, file, line, action } = violation;
  const title = `${kind} ${namespace}/${name} ${[container, probe].filter(Boolean).join('.')}: ${check}`;
  const names = `name="${escapeXml(title)}" classname="${escapeXml(check)}"`;
  const start = `    <testcase ${names} file="${escapeXml(file)}" line="${line}">`;
  const text = escapeXml(`${file}:${line}: ${formatViolation(violation)}`);
  const result =
    action === 'Deny'
      ? `<failure message="${text}" type="${escapeXml(check)}">${text}</failure>`
      : `<system-out>${action}: ${text}</system-out>`;
  return `${start}${result}</testcase>\n`;
}
