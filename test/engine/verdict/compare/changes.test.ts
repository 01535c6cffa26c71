import { expect, it } from 'vitest';
import { probeChanges } from '../../../../src/engine/verdict/compare/changes.ts';
import { storedPod } from '../../../../src/webhook/review/stored-pod.ts';
import { NOW } from '../../../support/now.ts';
import { policyDocument, policySet, subjectOf } from '../../../support/worlds.ts';

const NONE = policySet();
const READINESS = policySet(
  policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }),
);
const http = { image: 'x', ports: [{ name: 'http', containerPort: 80 }] };
const probe = { httpGet: { path: '/ready', port: 'http' } };

it('name the template and the place of each container, also of containers with one name', () => {
  const template = (...containers: unknown[]): unknown => ({ spec: { template: { spec: { containers } } } });
  const jobSet = {
    apiVersion: 'jobset.x-k8s.io/v1alpha2',
    kind: 'JobSet',
    spec: {
      replicatedJobs: [
        { name: 'first', template: template({ name: 'a', ...http }) },
        { name: 'second', template: template({ name: 'a', ...http, readinessProbe: probe }) },
      ],
    },
  };
  // The Pods of a JobSet run to completion, so no probe is added.
  expect(probeChanges(subjectOf(jobSet), NONE, READINESS, storedPod, NOW)).toEqual([]);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { labels: { app: 'web' } },
    spec: {
      containers: [
        { name: 'a', ...http, readinessProbe: probe },
        { name: 'a', ...http },
      ],
    },
  };
  const place = { container: 'a', list: 'containers', index: 1, probe: 'readinessProbe' };
  expect(probeChanges(subjectOf(pod), NONE, READINESS, storedPod, NOW)).toEqual([
    { ...place, change: 'added', before: null, after: probe },
  ]);
  expect(probeChanges(subjectOf(pod), READINESS, NONE, storedPod, NOW)).toEqual([
    { ...place, change: 'removed', before: probe, after: null },
  ]);
});

it('leave the object as it was', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'app', ...http }] } };
  const copy = structuredClone(pod);
  probeChanges(subjectOf(pod), NONE, READINESS, storedPod, NOW);
  expect(pod).toEqual(copy);
});
