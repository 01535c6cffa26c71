import { listMember, stringMember } from '../../base/json/json-value.ts';
import { clusterQuestionIn } from './lib/cluster-questions.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import type { CheckedProbe } from './checked-workload.ts';

/**
 * One missing member would fail the probe of every member. Startup probes end after the start, so they are skipped. No
 * edits: which question the image can answer is not known.
 */
export const clusterProbe = defineCheck({
  id: 'cluster-probe',
  summary: 'A probe asks for the state of a whole cluster.',
  action: 'Warn',
  kinds: ['livenessProbe', 'readinessProbe'],
  eachProbe: (probe) => {
    const asked = askedBy(probe);
    const question = asked === undefined ? undefined : clusterQuestionIn(asked);
    if (question === undefined) return undefined;
    const harm = probe.kind === 'livenessProbe' ? 'restarts every member' : 'makes every member unready';
    return {
      ...located(probe, probe.handlerKind, probe.handlerKind === 'exec' ? 'command' : 'path'),
      message:
        `the ${probe.kind} of ${containerPhrase(probe.container)} asks for the state of the whole cluster ` +
        `(${question.product}), so ${question.fails} ${harm}`,
      remedy: question.local,
    };
  },
});

function askedBy({ handlerKind, handler }: CheckedProbe): string | undefined {
  if (handlerKind === 'httpGet') return stringMember(handler, 'path');
  const words = handlerKind === 'exec' ? listMember(handler, 'command') : [];
  return words.map((word) => (typeof word === 'string' ? ` ${word}` : '')).join('');
}
