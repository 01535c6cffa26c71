import { describe, expect, it } from 'vitest';
import { patchedObject, storedPod, type StoredPod } from '../../../src/webhook/review/stored-pod.ts';
import { allowed } from '../../../src/webhook/review/response.ts';
import { NOW } from '../../support/now.ts';
import { appContainer, pod, policyDocument, policySet, subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const READINESS = policySet(
  policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }),
);
const PROBE = { httpGet: { path: '/ready', port: 'http' } };

function workload(apiVersion: string, kind: string, container: JsonObject = {}, template: JsonObject = {}): JsonObject {
  const spec = { containers: [appContainer(container)], ...template };
  return {
    apiVersion,
    kind,
    metadata: { name: 'web', namespace: 'apps' },
    spec: { template: { metadata: { name: 'ignored', labels: { app: 'web' }, annotations: { team: 'blue' } }, spec } },
  };
}

function stored(object: JsonObject): StoredPod {
  const subject = subjectOf(object);
  return storedPod(subject, subject.pods[0]?.template ?? {}, READINESS, NOW);
}

describe('the stored Pod of a template', () => {
  it('is the Pod of its controller, with the probes and the annotation of the patch', () => {
    const object = workload('apps/v1', 'Deployment');
    const copy = structuredClone(object);
    expect(stored(object)).toMatchObject({
      isPatched: true,
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          labels: { app: 'web' },
          annotations: {
            team: 'blue',
            'probewright.dev/injected': '{"app":{"readinessProbe":"ProbePolicy/apps/policy"}}',
          },
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true }],
        },
        spec: { containers: [appContainer({ readinessProbe: PROBE })] },
      },
    });
    expect(object).toEqual(copy);
  });

  it('has no name of the template, because the controller generates one', () => {
    expect(stored(workload('apps/v1', 'Deployment')).pod['metadata']).not.toHaveProperty('name');
  });

  it('ends for a Job, also if the manifest has no restartPolicy', () => {
    for (const template of [{}, { restartPolicy: 'Always' }, { restartPolicy: 'Never' }]) {
      const { isPatched, decision } = stored(workload('batch/v1', 'Job', {}, template));
      expect(isPatched).toBe(false);
      expect(decision.defaulting?.notInjected).toMatchObject([{ code: 'run-to-completion' }]);
    }
  });

  it('has the ports that Knative gives to the probes of a Service', () => {
    const object = workload('serving.knative.dev/v1', 'Service', { ports: [], livenessProbe: { httpGet: {} } });
    expect(stored(object).pod).toMatchObject({
      spec: { containers: [{ livenessProbe: { httpGet: { port: 8080 } } }] },
    });
  });

  it('is the object itself for a Pod', () => {
    const object = pod([appContainer()]);
    expect(stored(object).pod).toMatchObject({ metadata: object['metadata'] });
    expect(stored(object).pod).toMatchObject({ spec: { containers: [appContainer({ readinessProbe: PROBE })] } });
  });

  it('has no probe if the Pod is too large for the webhook, which says so', () => {
    const containers = Array.from({ length: 301 }, (_, index) => appContainer({ name: `app-${index}` }));
    const { isPatched, decision } = stored(workload('apps/v1', 'Deployment', {}, { containers }));
    expect(isPatched).toBe(false);
    expect(decision.reply.response.warnings).toMatchObject([expect.stringContaining('301 containers')]);
  });
});

describe('the patch of a reply', () => {
  it('is applied to a copy, with every character', () => {
    const object = { metadata: { name: 'é' } };
    const { response } = allowed('1', { patch: [{ op: 'add', path: '/metadata/labels', value: { '€/a': '😀' } }] });
    expect(patchedObject(object, response)).toEqual({ metadata: { name: 'é', labels: { '€/a': '😀' } } });
    expect(object).toEqual({ metadata: { name: 'é' } });
    expect(patchedObject(object, {})).toBe(object);
  });
});
