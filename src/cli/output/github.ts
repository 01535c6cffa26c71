import { visible } from '../../text/visible.ts';
import { formatViolation } from '../../checks/violation.ts';
import type { ShownReport } from '../shown-report.ts';

const COMMAND = { Deny: 'error', Warn: 'warning', Audit: 'notice' } as const;

/** GitHub Actions workflow commands: annotations on the lines of a pull request. */
export function githubReport({ violations }: ShownReport): string {
  return violations
    .map((violation) => {
      const { action, file, line, column, check } = violation;
      const properties = `file=${property(file)},line=${line},col=${column},title=${property(check)}`;
      return `::${COMMAND[action]} ${properties}::${data(formatViolation(violation))}\n`;
    })
    .join('');
}

/**
 * The escapes of actions/toolkit's workflow commands. The runner decodes these escapes, so hidden characters are
 * escaped first.
 */
const data = (text: string): string =>
  visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
