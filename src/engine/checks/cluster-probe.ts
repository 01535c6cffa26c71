import { parsedScript, type ExecCommand } from '../probe/exec-invocation.ts';
import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { alwaysRuns } from './lib/script-paths.ts';
import type { ShellCommand } from '../probe/shell-script.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * One missing member would fail the probe of every member. A note for a script that may succeed without the question:
 * many ask the cluster until the first success only. Startup probes end after the start, so they are skipped. No edits:
 * which question the image can answer is not known.
 */
export const clusterProbe = defineCheck({
  id: 'cluster-probe',
  summary: 'A probe asks for the state of a whole cluster.',
  action: 'Warn',
  kinds: ['livenessProbe', 'readinessProbe'],
  readsCommand: true,
  eachProbe: (probe) => {
    const asked = questionOf(probe);
    if (asked === undefined) return undefined;
    const { question, isInBranch } = asked;
    const harm = probe.kind === 'livenessProbe' ? 'restarts every member' : 'makes every member unready';
    return {
      ...located(probe, probe.handler.kind, probe.handler.kind === 'exec' ? 'command' : 'path'),
      message:
        `the ${probe.kind} of ${containerPhrase(probe.container)} asks for the state of the whole cluster ` +
        `(${question.product})${isInBranch ? ' in a branch of its script, where' : ', so'} ${question.fails} ${harm}`,
      remedy: question.local,
      ...(isInBranch && { level: 'Audit' }),
    };
  },
});

/** A question, and whether the probe may also succeed without it. */
interface Asked {
  readonly question: NonNullable<ReturnType<typeof clusterQuestionIn>>;
  readonly isInBranch: boolean;
}

function questionOf({ handler, command }: Probe): Asked | undefined {
  if (handler.kind !== 'httpGet') return command.once(questionInWords);
  const question = handler.path === undefined ? undefined : clusterQuestionIn(handler.path);
  return question && { question, isInBranch: false };
}

const questionInWords = (command: ExecCommand): Asked | undefined => {
  const question = clusterQuestionIn(command.argv.map((word) => ` ${word}`).join(''));
  const script = question && parsedScript(command);
  const asks = ({ words }: ShellCommand): boolean =>
    question?.pattern.test(words.map(({ text }) => text).join(' ')) === true;
  return question && { question, isInBranch: script !== undefined && !alwaysRuns(script, asks) };
};
