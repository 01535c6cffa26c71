import { describe, expect, it } from 'vitest';
import { BUILT_IN_KINDS, POD_KIND, podTemplatesOf, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { updateOf } from '../../../src/engine/workload/update.ts';
import { appContainer, deploymentOf, pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { WorkloadKind } from '../../../src/engine/workload/kinds.ts';

const DEPLOYMENT = workloadKind('apps', 'Deployment', BUILT_IN_KINDS) ?? POD_KIND;
const deployment = (containers: readonly JsonObject[]): JsonObject => deploymentOf(pod(containers));
const READY = { readinessProbe: { httpGet: { path: '/ready', port: 80 } } };

function changesOf(old: JsonObject, object: JsonObject, kind: WorkloadKind): string {
  return updateOf(old, { object, kind, templates: podTemplatesOf(object, kind) }).changes;
}

describe('an update of a Deployment', () => {
  const old = deployment([appContainer(READY)]);
  const withSpec = (fields: JsonObject): JsonObject => ({
    ...old,
    spec: { ...(old['spec'] as JsonObject), ...fields },
  });

  it.each<readonly [string, JsonObject, string]>([
    ['of its replicas changes nothing', withSpec({ replicas: 7 }), 'nothing'],
    ['of its progress deadline changes the rollout', withSpec({ progressDeadlineSeconds: 7 }), 'rollout'],
    ['of minReadySeconds changes the rollout', withSpec({ minReadySeconds: 7 }), 'rollout'],
    ['of an image changes the template', deployment([appContainer({ ...READY, image: 'other' })]), 'template'],
  ])('%s', (_, object, changes) => {
    expect(changesOf(old, object, DEPLOYMENT)).toBe(changes);
  });
});

describe('an update of a Pod', () => {
  const old = pod([appContainer(READY)], { metadata: { labels: { a: 'b' } } });

  it('of labels and images changes nothing', () => {
    expect(changesOf(old, pod([appContainer({ ...READY, image: 'other' })]), POD_KIND)).toBe('nothing');
  });

  it('of a probe changes the template', () => {
    expect(changesOf(old, pod([appContainer()]), POD_KIND)).toBe('template');
    const sidecar = { name: 'side', restartPolicy: 'Always', ...READY };
    expect(changesOf(old, pod([appContainer(READY)], { spec: { initContainers: [sidecar] } }), POD_KIND)).toBe(
      'template',
    );
  });
});

it('an object before that was too large to check says so', () => {
  const many = deployment(Array.from({ length: 301 }, (_, index) => appContainer({ name: `c${index}` })));
  const object = deployment([appContainer()]);
  const templates = podTemplatesOf(object, DEPLOYMENT);
  expect(updateOf(many, { object, kind: DEPLOYMENT, templates })).toMatchObject({
    wasTooLarge: true,
    changes: 'template',
  });
  expect(updateOf(object, { object, kind: DEPLOYMENT, templates }).wasTooLarge).toBe(false);
});
