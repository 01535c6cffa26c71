import { describe, expect, it } from 'vitest';
import { labelOfRollout, rolloutState } from '../../../src/cli/explain/rollout-state.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const object = (kind: string, spec: JsonObject, status: JsonObject, generation = 1): JsonObject => ({
  kind,
  metadata: { generation },
  spec,
  status: { observedGeneration: 1, ...status },
});

describe('the state of a rollout', () => {
  it.each<[string, JsonObject, boolean]>([
    [
      'Deployment',
      object('Deployment', { replicas: 1 }, { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }),
      true,
    ],
    [
      'Deployment with an old Pod',
      object('Deployment', {}, { replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),
      false,
    ],
    ['Deployment of 0 Pods', object('Deployment', { replicas: 0 }, {}), true],
    ['Deployment that is not seen yet', object('Deployment', { replicas: 0 }, {}, 2), false],
    [
      'DaemonSet',
      object('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
      true,
    ],
    [
      'DaemonSet that waits',
      object('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 1, numberAvailable: 2 }),
      false,
    ],
    ['StatefulSet', object('StatefulSet', { replicas: 2 }, { updatedReplicas: 2, readyReplicas: 2 }), true],
    [
      'StatefulSet that is current',
      object('StatefulSet', { replicas: 2 }, { currentRevision: 'a', updateRevision: 'a', readyReplicas: 2 }),
      true,
    ],
    [
      'StatefulSet with a partition',
      object(
        'StatefulSet',
        { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        { updatedReplicas: 1, readyReplicas: 3 },
      ),
      true,
    ],
    [
      'StatefulSet that is not ready',
      object('StatefulSet', { replicas: 2 }, { updatedReplicas: 2, readyReplicas: 1 }),
      false,
    ],
  ])('of a %s', (_, given, isComplete) => expect(rolloutState(given).isComplete).toBe(isComplete));

  it('names what keeps it from going on', () => {
    const exceeded = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'too late' };
    expect(rolloutState(object('Deployment', {}, { conditions: [exceeded] })).obstacle).toBe('too late');
    const onDelete = object('DaemonSet', { updateStrategy: { type: 'OnDelete' } }, { desiredNumberScheduled: 1 });
    expect(rolloutState(onDelete).obstacle).toContain('OnDelete: delete its Pods');
    expect(rolloutState(object('Deployment', {}, {})).obstacle).toBeUndefined();
  });
});

describe('the Pods of a rollout', () => {
  const revision = (value: string): JsonObject => ({ 'deployment.kubernetes.io/revision': value });
  const set = (value: string, hash: string, uid = 'u'): JsonObject => ({
    metadata: { annotations: revision(value), labels: { 'pod-template-hash': hash }, ownerReferences: [{ uid }] },
  });

  it('are those of the newest ReplicaSet of a Deployment: old Pods may fail', () => {
    const web = { kind: 'Deployment', metadata: { uid: 'u', annotations: revision('2') } };
    expect(labelOfRollout(web, [set('1', 'old'), set('2', 'other', 'x'), set('2', 'new')])).toEqual([
      'pod-template-hash',
      'new',
    ]);
    expect(labelOfRollout(web, [set('1', 'old')])).toBeUndefined();
  });

  it('have the revision of the StatefulSet, or the generation of the DaemonSet', () => {
    expect(labelOfRollout({ kind: 'StatefulSet', status: { updateRevision: 'r' } }, [])).toEqual([
      'controller-revision-hash',
      'r',
    ]);
    const annotations = { 'deprecated.daemonset.template.generation': '3' };
    expect(labelOfRollout({ kind: 'DaemonSet', metadata: { annotations } }, [])).toEqual([
      'pod-template-generation',
      '3',
    ]);
  });
});
