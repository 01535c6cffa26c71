import { alwaysRuns } from '../command/meaning.ts';
import type { ExecCommand } from '../command/words.ts';
import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { purposeOf } from '../port/speaks.ts';
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

/** The question, and whether the probe may also succeed without it. */
function questionOf({ container, handler, command }: Probe): ReturnType<typeof questionInWords> {
  if (handler.kind !== 'httpGet') return command.once(questionInWords);
  const { path = '' } = handler;
  // etcd reads through its quorum unless the query says otherwise.
  const isOfEtcd = path === '/health' && container.once(purposeOf)?.protocol === 'etcd';
  const question = clusterQuestionIn(isOfEtcd ? `${path}?serializable=false` : path);
  return question && { question, isInBranch: false };
}

const questionInWords = (command: ExecCommand) => {
  const question = clusterQuestionIn(command.argv.map((word) => ` ${word}`).join(''));
  const asks = (words: readonly string[]): boolean => question?.pattern.test(words.join(' ')) === true;
  return question && { question, isInBranch: !alwaysRuns(command, asks) };
};
