import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'probe-bounds';
const probing = (integers: JsonObject): JsonObject => podWith({ livenessProbe: httpProbe(integers) });
const PERIOD = { livenessProbe: { periodSeconds: { minimum: 5, maximum: 30 } } };

describe('probe-bounds', () => {
  it('gives the value and the bound', () => {
    expect(onlyFinding(ID, probing({ periodSeconds: 4 }), PERIOD)).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.periodSeconds',
      message: 'container "app" has periodSeconds 4 in its livenessProbe, outside the bounds of a policy',
      remedy: 'write 5 or more',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'periodSeconds'], value: 5 }],
    });
    expect(onlyFinding(ID, probing({ periodSeconds: 31 }), PERIOD).remedy).toBe('write 30 or less');
  });

  it('has no edit that gives a container less time, or allows it fewer failures', () => {
    const bounds = { livenessProbe: { periodSeconds: { maximum: 5 }, failureThreshold: { maximum: 2 } } };
    expect(findings(ID, probing({}), bounds).map(({ edits }) => edits)).toEqual([undefined, undefined]);
  });

  it.each([5, 30])('accepts the bound itself, %i', (periodSeconds) =>
    expect(findings(ID, probing({ periodSeconds }), PERIOD)).toEqual([]),
  );

  it('bounds the values after API defaulting; an absent delay is 0', () => {
    const bounds = { livenessProbe: { timeoutSeconds: { minimum: 2 }, initialDelaySeconds: { minimum: 1 } } };
    expect(paths(ID, probing({}), bounds)).toEqual([
      'spec.containers[0].livenessProbe.initialDelaySeconds',
      'spec.containers[0].livenessProbe.timeoutSeconds',
    ]);
  });

  it('bounds a grace period only where the probe has one', () => {
    const bounds = { livenessProbe: { terminationGracePeriodSeconds: { maximum: 10 } } };
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 11 }), bounds)).toHaveLength(1);
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 10 }), bounds)).toEqual([]);
    expect(findings(ID, probing({}), bounds)).toEqual([]);
  });

  it('bounds the probes that the policy names only, and nothing by default', () => {
    expect(findings(ID, podWith({ readinessProbe: httpProbe({ periodSeconds: 1 }) }), PERIOD)).toEqual([]);
    expect(findings(ID, probing({ periodSeconds: 1 }))).toEqual([]);
  });
});
