import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { appContainer, containerNamed, mutation, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const starts = new ByNamespace(
  new Map([
    [
      'apps',
      [
        {
          name: 'deployment-web',
          containers: [
            {
              ...{ name: 'app', starts: 12, longestSeconds: 41, boundSeconds: 0 },
              images: [{ image: 'example.test/app:1', starts: 12, longestSeconds: 41 }],
            },
          ],
        },
      ],
    ],
  ]),
);
const policies = policySet(
  policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live' }, slowStart: { learned: {} } }),
).withFacts({ ...NO_FACTS, starts });
const webPod = pod([appContainer()], {
  metadata: {
    labels: { app: 'web', 'pod-template-hash': '5d9c' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c', uid: 'x', controller: true }],
  },
});
const asUser = (username: string): unknown => {
  const { after } = mutation(webPod, policies, { request: { userInfo: { username } } });
  return (containerNamed(after, 'app')['startupProbe'] as JsonObject)['failureThreshold'];
};

describe('learned start times at admission', () => {
  it('are those of the Deployment, for a Pod that a controller makes', () =>
    expect(asUser('system:serviceaccount:kube-system:replicaset-controller')).toBe(15));

  it('do not count for a Pod of a requester who cannot be its controller', () => {
    // 61 is the safety of 300 s.
    expect(asUser('jane')).toBe(61);
    expect(asUser('system:serviceaccount:apps:default')).toBe(61);
    // A foreign controller never owns with a ReplicaSet.
    expect(asUser('system:serviceaccount:operators:kruise')).toBe(61);
  });

  it('are named in the annotation of the Pod', () => {
    const { after } = mutation(webPod, policies, {
      request: { userInfo: { username: 'system:kube-controller-manager' } },
    });
    const { annotations } = after['metadata'] as { annotations: Record<string, string> };
    expect(JSON.parse(annotations['probewright.dev/injected'] ?? '')).toEqual({
      app: {
        livenessProbe: 'ProbePolicy/apps/policy',
        startupProbe: 'learned: 12 starts, longest 41 s, 69 s to start; ProbePolicy/apps/policy',
      },
    });
  });
});
