import { outputLine } from '../../text/visible.ts';
import { formatViolation } from '../../checks/violation.ts';
import type { CheckReport } from '../check-report.ts';

const SEVERITY = { Deny: 'error', Warn: 'warning', Audit: 'note' } as const;

/** A line for each violation, in the form of compilers, and a summary. */
export function textReport({ violations, summary }: CheckReport): string {
  const lines = violations.map(
    (violation) =>
      `${violation.file}:${violation.line}:${violation.column}: ${SEVERITY[violation.action]}: ` +
      `${violation.kind} ${violation.namespace}/${violation.name}: ${formatViolation(violation)}`,
  );
  const { objects, workloads, deny, warn, audit } = summary;
  const counts = `${workloads} workloads in ${objects} objects: ${deny} denied, ${warn} warned, ${audit} noted`;
  return [...lines.map(outputLine), counts].map((line) => `${line}\n`).join('');
}
