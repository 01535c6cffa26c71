import { visible } from '../../base/text/visible.ts';
import { shownViolation } from './text.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import type { ShownReport } from './report.ts';

const COMMAND = { Deny: 'error', Warn: 'warning', Audit: 'notice', Excepted: 'notice' } as const;
type Command = 'error' | 'warning' | 'notice';

/** GitHub Actions workflow commands: annotations on the lines of a pull request. */
export function githubReport({ violations, problems }: ShownReport): string {
  return [
    ...violations.map((of) => annotation(COMMAND[of.action], of, of.check, shownViolation(of))),
    ...problems.map((problem) => annotation('error', problem, 'probewright', problem.message)),
  ].join('');
}

/** One workflow command. Title and text may hold anything. */
export function annotation(command: Command, { file, line, column }: FilePlace, title: string, text: string): string {
  return `::${command} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}\n`;
}

/**
 * The escapes of actions/toolkit's workflow commands. The runner decodes these escapes, so hidden characters are
 * escaped first.
 */
const data = (text: string): string =>
  visible(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
