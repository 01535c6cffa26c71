import { visible } from '../../base/text/visible.ts';
import { LEVELS_OF } from '../../engine/verdict/levels.ts';
import { projectLines } from '../input/passed-over.ts';
import { partsOf } from './finding-parts.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import type { ShownReport } from './report.ts';

type Command = 'error' | 'warning' | 'notice';

/** GitHub Actions workflow commands: annotations on the lines of a pull request. */
export function githubReport({ violations, problems, project }: ShownReport): string {
  const place = { file: project?.file ?? '', line: 1, column: 1 };
  return [
    ...projectLines(project).map((text) => annotation('notice', place, 'probewright', text)),
    ...violations.map((of) => {
      const { object, text } = partsOf(of);
      return annotation(LEVELS_OF[of.action].github, of, of.check, `${object}: ${text}`);
    }),
    ...problems.map((problem) => annotation('error', problem, 'probewright', problem.message)),
  ].join('');
}

/** One workflow command. Title and text may hold anything. */
export function annotation(command: Command, { file, line, column }: FilePlace, title: string, text: string): string {
  const at = line === 0 ? '' : `,line=${line},col=${column}`;
  return `::${command} file=${property(file)}${at},title=${property(title)}::${data(text)}\n`;
}

/**
 * The escapes of actions/toolkit's workflow commands, which the runner decodes. Line ends are hidden characters, and
 * escaped before.
 */
const data = (text: string): string => visible(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
