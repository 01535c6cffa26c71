import { describe, expect, it } from 'vitest';
import { layersOf, type NativeLayer } from '../../src/native/namespace-layers.ts';
import { estimatedCost } from '../support/native-cost.ts';
import { nativeDecision } from '../support/native-cel.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../support/worlds.ts';
import { admitted } from './beside-engine.ts';

/** The API server's limits, in its units of cost (k8s.io/apiserver, pkg/apis/cel/config.go). */
const LIMITS = { expression: 1_000_000, policy: 10_000_000 };

const layersNumbering = (count: number): readonly NativeLayer[] =>
  layersOf(
    policySet(
      ...Array.from({ length: count }, (_, index) =>
        clusterPolicyDocument(
          {
            containers: ['*'],
            priority: index,
            kubernetesProbeEndpoints: { startupProbe: '/ready', livenessProbe: '/live', readinessProbe: '/ready' },
            slowStart: { startupSeconds: 100 + index },
          },
          `c${index}`,
        ),
      ),
    ),
  );

/**
 * The largest cost of an expression and the whole, for a Pod of many containers that all get three probes.
 *
 * @param images the number of different images: containers that differ in their name alone are decided once
 */
function costOf(containers: number, layers: number, variables = 0, images = containers) {
  const env = Array.from({ length: variables }, (_, index) => ({
    name: `SETTING_${index}`,
    value: 'an ordinary value',
  }));
  const members = { ...(variables > 0 && { env }) };
  const many = pod(
    Array.from({ length: containers }, (_, index) =>
      appContainer({ ...members, name: `app-${index}`, image: `example.test/app-${index % images}` }),
    ),
  );
  let operations = 0;
  const costs = estimatedCost((mark) => {
    const { patch } = nativeDecision(admitted(many), layersNumbering(layers), {}, [], mark);
    mark('patch');
    operations = patch.length;
  });
  return {
    operations,
    expression: Math.max(...costs.values()),
    policy: [...costs.values()].reduce((sum, one) => sum + one, 0),
  };
}

describe('the cost of the native policy, as far as it can be estimated', () => {
  it.each([
    [90, 1, 0],
    [50, 10, 0],
    [16, 50, 10],
    [20, 1, 40],
  ])('is within the limits of an API server: %i containers, %i layers, %i variables each', (...given) => {
    const { operations, expression, policy } = costOf(...given);
    expect(operations).toBe(2 + 3 * given[0]);
    expect(expression).toBeLessThan(LIMITS.expression);
    expect(policy).toBeLessThan(LIMITS.policy / 2);
  });

  it.each([
    [300, 10, 1],
    [300, 10, 3],
    [300, 50, 1],
  ])('is below a million units for %i containers with %i layers, of %i images', (containers, layers, images) => {
    const { operations, expression, policy } = costOf(containers, layers, 0, images);
    expect(operations).toBe(2 + 3 * containers);
    expect(expression).toBeLessThan(LIMITS.expression);
    expect(policy).toBeLessThan(layers === 10 ? 1_000_000 : LIMITS.policy / 2);
  });

  it('is small for an ordinary Pod', () => {
    expect(costOf(1, 1).policy).toBeLessThan(25_000);
    expect(costOf(2, 3, 10).policy).toBeLessThan(80_000);
  });

  it.each([
    [91, 1],
    [51, 10],
    [300, 50],
  ])('is bounded, because a larger Pod gets nothing: %i containers, %i layers', (...given) => {
    const { operations, policy } = costOf(...given);
    expect(operations).toBe(0);
    expect(policy).toBeLessThan(LIMITS.policy / 2);
  });
});
