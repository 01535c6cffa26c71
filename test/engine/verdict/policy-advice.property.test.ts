import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { formatPath, valueAt } from '../../../src/base/json/field-path.ts';
import { policyAdvice } from '../../../src/engine/verdict/policy-advice.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { namespaceDocument } from '../../robustness/random-worlds.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { runs } from '../../support/runs.ts';

describe('the advice about a policy', () => {
  // The spec of a ProbePolicy, above the spec of a ClusterProbePolicy of the house.
  describeCases('test/fixtures/policy-advice.yaml', ['advice'], ({ spec, house }) => {
    const below = house === undefined ? [] : [parsedPolicy(clusterPolicyDocument(house))];
    const advice = policyAdvice(parsedPolicy(policyDocument(spec)), below);
    return { advice: advice.map(({ check, action, path }) => `${check} ${action} ${formatPath(path)}`) };
  });

  it('never comes from a check that needs more than the probes, names a field that the policy writes, and never repeats itself', () => {
    const alone = new Set(CHECKS.filter(({ judgesProbeAlone }) => judgesProbeAlone).map(({ id }) => id));
    let advised = 0;
    fc.assert(
      fc.property(namespaceDocument, (document) => {
        const advice = policyAdvice(parsedPolicy(document));
        advised += advice.length;
        expect(advice.filter(({ check }) => !alone.has(check))).toEqual([]);
        expect(advice.filter(({ path }) => valueAt(document, path) === undefined)).toEqual([]);
        const keys = advice.map(({ check, path }) => `${check} ${formatPath(path)}`);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: runs(500), examples: [[policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/ready' } })]] },
    );
    expect(advised).toBeGreaterThan(0);
  });
});
