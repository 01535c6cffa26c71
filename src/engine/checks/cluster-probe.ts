import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { ExecCommand } from '../probe/exec-invocation.ts';
import type { Probe } from '../workload/pod.ts';

/**
 * One missing member would fail the probe of every member. Startup probes end after the start, so they are skipped. No
 * edits: which question the image can answer is not known.
 */
export const clusterProbe = defineCheck({
  id: 'cluster-probe',
  summary: 'A probe asks for the state of a whole cluster.',
  action: 'Warn',
  kinds: ['livenessProbe', 'readinessProbe'],
  readsCommand: true,
  eachProbe: (probe) => {
    const question = questionOf(probe);
    if (question === undefined) return undefined;
    const harm = probe.kind === 'livenessProbe' ? 'restarts every member' : 'makes every member unready';
    return {
      ...located(probe, probe.handler.kind, probe.handler.kind === 'exec' ? 'command' : 'path'),
      message:
        `the ${probe.kind} of ${containerPhrase(probe.container)} asks for the state of the whole cluster ` +
        `(${question.product}), so ${question.fails} ${harm}`,
      remedy: question.local,
    };
  },
});

function questionOf({ handler, command }: Probe): ReturnType<typeof clusterQuestionIn> {
  if (handler.kind !== 'httpGet') return command.once(questionInWords);
  return handler.path === undefined ? undefined : clusterQuestionIn(handler.path);
}

const questionInWords = ({ argv }: ExecCommand): ReturnType<typeof clusterQuestionIn> =>
  clusterQuestionIn(argv.map((word) => ` ${word}`).join(''));
