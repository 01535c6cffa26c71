import { formatViolation } from '../../engine/checks/violation.ts';
import { visible } from '../../base/text/visible.ts';
import { shownMessage } from './text.ts';
import type { Position } from '../../yaml/reading/documents.ts';
import type { ShownReport } from './report.ts';

const COMMAND = { Deny: 'error', Warn: 'warning', Audit: 'notice', Excepted: 'notice' } as const;
type Command = (typeof COMMAND)[keyof typeof COMMAND];

/** GitHub Actions workflow commands: annotations on the lines of a pull request. */
export function githubReport({ violations, problems }: ShownReport): string {
  return [
    ...violations.map((of) =>
      annotation(COMMAND[of.action], of, of.check, formatViolation({ ...of, message: shownMessage(of) })),
    ),
    ...problems.map((problem) => annotation('error', problem, 'probewright', problem.message)),
  ].join('');
}

function annotation(
  command: Command,
  { file, line, column }: Position & FileName,
  title: string,
  text: string,
): string {
  return `::${command} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}\n`;
}

interface FileName {
  readonly file: string;
}

/**
 * The escapes of actions/toolkit's workflow commands. The runner decodes these escapes, so hidden characters are
 * escaped first.
 */
const data = (text: string): string =>
  visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
