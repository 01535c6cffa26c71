import { execReading } from './lib/exec-reading.ts';
import { handlerEdits } from './lib/handler-edits.ts';
import { containerPhrase, yamlFlow } from './lib/wording.ts';
import { shellProblem } from './lib/shell-problem.ts';
import { MOST_TEXT_CHARACTERS } from '../workload/bounded-container.ts';
import { beginning, cut } from '../../base/text/cut.ts';
import { located, defineCheck } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';
import type { Finding } from './check.ts';

/**
 * Field: `<probe>.exec.command`.
 *
 * Rule: a command that needs a shell starts one. The kubelet runs the elements of the command as they are (Kubernetes
 * documentation, ExecAction: "it is not run inside a shell"). A line in one element, `|`, `&&` and `$NAME` therefore do
 * not work. A shell without `-c` reads its next word as the name of a file.
 */
export const execShell = defineCheck({
  id: 'exec-shell',
  summary: 'A probe command needs a shell and starts none, or gives a shell a command without -c.',
  action: 'Warn',
  cannotWork: true,
  handlers: ['exec'],
  judgesProbeAlone: true,
  eachProbe: violationOf,
});

/** A longer command is not repeated in the remedy. */
const LONGEST_REMEDY = 300;

function violationOf(probe: CheckedProbe): Finding | undefined {
  const reading = execReading(probe);
  const problem = reading && shellProblem(probe.container, reading);
  if (problem === undefined) return undefined;
  const edits = problem.isGuess ? undefined : handlerEdits(probe, { command: problem.meant });
  return {
    ...located(probe, 'exec', 'command', problem.at),
    message: `${containerPhrase(probe.container)} ${problem.fault}`,
    remedy: cut(`write command: ${yamlFlow(shownWords(problem.meant))}`, LONGEST_REMEDY),
    ...(edits && { edits }),
  };
}

/** Returns what a remedy can show of a command. Joined words may make a text of megabytes. */
function shownWords(words: readonly string[]): readonly string[] {
  return words.slice(0, LONGEST_REMEDY).map((word) => beginning(word, MOST_TEXT_CHARACTERS));
}
