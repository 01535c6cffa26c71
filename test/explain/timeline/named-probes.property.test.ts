import fc from 'fast-check';
import { expect, it } from 'vitest';
import { explainManifest } from '../../../src/explain/timeline/explain-manifest.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { absentProbesIn } from '../../support/named-probes.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import { clusterPolicyDocument, policySet } from '../../support/worlds.ts';

const endpoints = { startupProbe: '/start', livenessProbe: '/live', readinessProbe: '/ready' };
const SPECS = [
  {},
  { slowStart: { startupSeconds: 120, fromInitialDelaySeconds: 1 } },
  { kubernetesProbeEndpoints: endpoints, containers: ['*'] },
  { kubernetesProbeEndpoints: { livenessProbe: '/live' }, probes: { startupProbe: null } },
];

/** All texts of a value, however deep. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : value instanceof Object ? Object.values(value).flatMap(textsOf) : [];

it('no text of explain speaks of a probe that the container will not have', () => {
  const check = fc.property(anyWorkload, fc.constantFrom(...SPECS), (object, spec) => {
    const snapshot = policySet(clusterPolicyDocument(spec));
    const settings = { snapshot, namespace: 'apps', kinds: KNOWN_KINDS, now: NOW };
    const explained = explainManifest(object, 'web.yaml:1:1', settings);
    for (const container of explained?.containers ?? []) {
      const present = new Set(container.probes.map(({ kind }) => kind));
      for (const text of textsOf(container)) expect(absentProbesIn(text, present), text).toEqual([]);
    }
  });
  fc.assert(check, { numRuns: runs(300) });
});
