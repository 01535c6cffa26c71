import { expect, it } from 'vitest';
import { adviceAbout } from '../../../src/engine/verdict/policy-advice.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';

it('the status of a policy gets warnings about its probes, without notes and without the name of the policy', () => {
  const policy = parsedPolicy(
    policyDocument({
      kubernetesProbeEndpoints: { livenessProbe: '/ready', readinessProbe: '/ready2' },
      probes: { readinessProbe: { timeoutSeconds: 30, periodSeconds: 5 } },
    }),
  );
  const found = adviceAbout(policy);
  expect(found.map(({ check, field }) => `${check} ${field}`)).toEqual([
    'dependency-liveness spec.kubernetesProbeEndpoints.livenessProbe',
  ]);
  expect(found[0]?.message).not.toContain('ProbePolicy/');
  expect(adviceAbout(parsedPolicy(policyDocument({})))).toEqual([]);
});
