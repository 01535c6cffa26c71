import { storedPod } from '../../../../src/webhook/review/stored-pod.ts';
import { expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../../../src/engine/facts/snapshot.ts';
import { effectSentence, planOf } from '../../../../src/engine/verdict/compare/plan.ts';
import { exceptionDocument, withExceptionsInApps } from '../../../support/exceptions.ts';
import { NOW } from '../../../support/now.ts';
import { appContainer, deploymentOf, pod, subjectOf } from '../../../support/worlds.ts';

it('an exception that is cut short denies updates, too, and says so apart from the others', () => {
  const misnamed = { readinessProbe: { httpGet: { path: '/', port: 'htpp' } } };
  const workload = subjectOf(deploymentOf(pod([appContainer(misnamed)])));
  const none = Snapshot.of(CHECK_CATALOGUE, []);
  const workloads = [{ kind: 'Deployment', name: 'random' }];
  const until = (expires: string): Snapshot => withExceptionsInApps(none, [exceptionDocument({ expires, workloads })]);
  const [running, over] = [until('2026-08-01T00:00:00Z'), until('2026-06-01T00:00:00Z')];
  const sentence = (after: Snapshot): string =>
    effectSentence(planOf([workload], running, after, storedPod, NOW).summary);
  expect(sentence(over)).toBe('of 1 workload, 1 would be denied even at updates.');
  expect(sentence(none)).toBe('of 1 workload, 1 would be denied if created again, and warned at updates.');
  expect(sentence(running)).toBe('no effect on 1 workload: no other probes, no new warnings or denials.');
});
