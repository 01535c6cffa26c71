import { describe, expect, it } from 'vitest';
import { layersOf, type NativeLayer } from '../../src/native/namespace-layers.ts';
import { COST_LIMITS, estimatedCost, tooCostly } from '../../src/native/cost.ts';
import { CLOSED_PARAM, clusterParam } from '../../src/native/namespace-probes.ts';
import { countedCost } from '../support/native-cost.ts';
import { nativeDecision } from '../../src/native/evaluate.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../support/worlds.ts';
import { admitted } from './beside-engine.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

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
  const costs = countedCost((mark) => {
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
    expect(expression).toBeLessThan(COST_LIMITS.expression);
    expect(policy).toBeLessThan(COST_LIMITS.policy / 2);
  });

  it.each([
    [300, 10, 1],
    [300, 10, 3],
    [300, 50, 1],
  ])('is below a million units for %i containers with %i layers, of %i images', (containers, layers, images) => {
    const { operations, expression, policy } = costOf(containers, layers, 0, images);
    expect(operations).toBe(2 + 3 * containers);
    expect(expression).toBeLessThan(COST_LIMITS.expression);
    expect(policy).toBeLessThan(layers === 10 ? 1_000_000 : COST_LIMITS.policy / 2);
  });

  it.each([
    [1, 1],
    [30, 10],
    [300, 10],
    [300, 50],
  ])('is estimated from the layers, not too low and not much too high: %i containers, %i layers', (...given) => {
    const counted = costOf(...given, 0, 1);
    const estimated = estimatedCost(layersNumbering(given[1]), given[0]);
    for (const part of ['expression', 'policy'] as const) {
      expect(estimated[part]).toBeGreaterThanOrEqual(counted[part] * 0.9);
      expect(estimated[part]).toBeLessThan(counted[part] * 3);
    }
  });

  it('is too high for an ordinary Pod where thousands of patterns of images are matched', () => {
    const layers = (images: number): readonly JsonObject[] =>
      Array.from({ length: 40 }, (_, at) =>
        clusterPolicyDocument(
          { port: 80, images: Array.from({ length: images }, (_, index) => `team-${at}/app-${index}`) },
          `c${at}`,
        ),
      );
    expect(tooCostly(policySet(...layers(5)))).toEqual([]);
    expect(tooCostly(policySet(...layers(60)))).toEqual([['', expect.any(Number), COST_LIMITS.expression]]);
    expect(clusterParam(policySet(...layers(5)), [])).not.toBe(CLOSED_PARAM);
    expect(clusterParam(policySet(...layers(60)), [])).toBe(CLOSED_PARAM);
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
    expect(policy).toBeLessThan(COST_LIMITS.policy / 2);
  });
});
