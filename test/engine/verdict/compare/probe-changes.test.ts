import { expect, it } from 'vitest';
import { probeChanges } from '../../../../src/engine/verdict/compare/probe-changes.ts';
import { KNOWN_KINDS } from '../../../../src/engine/workload/custom-kinds.ts';
import { podTemplatesOf, workloadKindOfManifest } from '../../../../src/engine/workload/kinds.ts';
import { policyDocument, policySet } from '../../../support/worlds.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';
import type { Workload } from '../../../../src/engine/verdict/judge.ts';

function workload(object: JsonObject): Workload {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) throw new Error('no workload');
  return { object, kind, templates: podTemplatesOf(object, kind), namespace: 'apps', name: 'web' };
}

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
  expect(probeChanges(workload(jobSet), NONE, READINESS)).toEqual([]);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: {
      containers: [
        { name: 'a', ...http, readinessProbe: probe },
        { name: 'a', ...http },
      ],
    },
  };
  const place = { container: 'a', list: 'containers', index: 1, probe: 'readinessProbe' };
  expect(probeChanges(workload(pod), NONE, READINESS)).toEqual([
    { ...place, change: 'added', before: null, after: probe },
  ]);
  expect(probeChanges(workload(pod), READINESS, NONE)).toEqual([
    { ...place, change: 'removed', before: probe, after: null },
  ]);
});

it('leave the object as it was', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', spec: { containers: [{ name: 'app', ...http }] } };
  const copy = structuredClone(pod);
  probeChanges(workload(pod), NONE, READINESS);
  expect(pod).toEqual(copy);
});
