import { formatViolation } from '../../checks/violation.ts';
import type { CheckReport, PlacedViolation } from '../check-report.ts';

/**
 * JUnit XML as GitLab and Jenkins read it: a suite a file, a test case a violation. What denies is a failure; warnings and notes are passed
 * cases with their text as output. A run without findings has one passed case, as readers take an empty file for a crash.
 */
export function junitReport({ violations }: CheckReport): string {
  const files = Map.groupBy(violations, ({ file }) => file);
  const suites = [...files].map(([file, found]) => suite(file, found));
  const body =
    suites.length > 0
      ? suites.join('')
      : '  <testsuite name="probewright" tests="1" failures="0"><testcase name="no violations" classname="probewright"/></testsuite>\n';
  const failures = violations.filter(({ action }) => action === 'Deny').length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="probewright" tests="${Math.max(1, violations.length)}" failures="${failures}">\n${body}</testsuites>\n`;
}

function suite(file: string, violations: readonly PlacedViolation[]): string {
  const failures = violations.filter(({ action }) => action === 'Deny').length;
  const cases = violations.map((violation) => testCase(violation)).join('');
  return `  <testsuite name="${escaped(file)}" tests="${violations.length}" failures="${failures}">\n${cases}  </testsuite>\n`;
}

function testCase(violation: PlacedViolation): string {
  const { check, kind, namespace, name, container, probe, file, line, action } = violation;
  const title = `${kind} ${namespace}/${name} ${[container, probe].filter(Boolean).join('.')}: ${check}`;
  const start = `    <testcase name="${escaped(title)}" classname="${escaped(check)}" file="${escaped(file)}" line="${line}">`;
  const text = escaped(`${file}:${line}: ${formatViolation(violation)}`);
  const result =
    action === 'Deny'
      ? `<failure message="${text}" type="${escaped(check)}">${text}</failure>`
      : `<system-out>${action}: ${text}</system-out>`;
  return `${start}${result}</testcase>\n`;
}

/** XML text and attributes; characters that XML 1.0 cannot hold become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
