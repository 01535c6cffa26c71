import { expect, it } from 'vitest';
import { fittingRestart, restartLine, rolloutHold } from '../../../src/explain/fleet-page/restart-line.ts';

it.each([
  ['apps', 'Deployment', 'web', 'kubectl rollout restart deployment/web -n shop'],
  ['apps', 'StatefulSet', 'web', 'kubectl rollout restart statefulset/web -n shop'],
  ['apps', 'DaemonSet', 'web', 'kubectl rollout restart daemonset/web -n shop'],
  ['argoproj.io', 'Rollout', 'web', 'kubectl argo rollouts restart web -n shop'],
  ['example.test', 'Rollout', 'web', 'Let the controller of the workload replace the Pods.'],
  ['batch', 'Job', 'web', 'The Pods of the next run get these probes.'],
  ['batch', 'CronJob', 'web', 'The Pods of the next run get these probes.'],
  ['', 'Pod', 'web', 'Create the Pod again. No controller replaces it.'],
  ['apps', 'ReplicaSet', 'web', 'Delete its Pods one after the other.'],
  ['', 'ReplicationController', 'web', 'Delete its Pods one after the other.'],
  ['example.test', 'Deployment', 'web', 'Let the controller of the workload replace the Pods.'],
  ['apps', 'Deployment', 'a b', 'Let the controller of the workload replace the Pods.'],
])('the Pods of %s %s %s are replaced so: %s', (group, kind, name, text) =>
  expect(restartLine({ namespace: 'shop', group, kind, name }).startsWith(text)).toBe(true),
);

it('no command names a namespace that is none', () =>
  expect(restartLine({ namespace: '$(x)', group: 'apps', kind: 'Deployment', name: 'web' })).not.toContain('$(x)'));

const updated = (updateStrategy: object): object => ({ updateStrategy });
it.each([
  ['Deployment', { paused: true }, 'It is paused. Resume it first: kubectl rollout resume deployment/web -n shop && '],
  ['StatefulSet', updated({ type: 'OnDelete' }), 'Delete its Pods one after the other, because its strategy'],
  ['DaemonSet', updated({ type: 'OnDelete' }), 'Delete its Pods one after the other, because its strategy'],
  [
    'StatefulSet',
    updated({ rollingUpdate: { partition: 2 } }),
    'Delete its Pods one after the other, because its part',
  ],
  ['StatefulSet', updated({ rollingUpdate: { partition: 0 } }), 'kubectl rollout restart statefulset/web -n shop'],
  ['DaemonSet', updated({ type: 'RollingUpdate' }), 'kubectl rollout restart daemonset/web -n shop'],
  ['Deployment', { paused: false }, 'kubectl rollout restart deployment/web -n shop'],
])('a restart is advised for a %s with %o only if it replaces all Pods', (kind, spec, text) => {
  const plain = { namespace: 'shop', group: 'apps', kind, name: 'web' };
  const workload = { ...plain, hold: rolloutHold({ kind, spec }) };
  const line = restartLine(workload);
  expect([line.startsWith(text), line.includes('rollout restart')]).toEqual([true, !text.startsWith('Delete')]);
  const results = [{ properties: { fix: restartLine(plain) } }, { properties: { fix: 'Set a port.' } }];
  expect(fittingRestart(results, workload).map(({ properties: { fix } }) => fix)).toEqual([line, 'Set a port.']);
});
