import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

describe('API defaulting', () =>
  describeCases('test/fixtures/api-defaults.yaml', ['defaulted'], ({ spec }) => ({
    defaulted: defaultedPodSpec(spec as JsonObject),
  })));

const NUMBERS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** A liveness probe after defaulting, in a container of the given list. */
function defaultedProbe(probe: unknown, list = 'containers'): unknown {
  const podSpec = defaultedPodSpec({ [list]: [{ name: 'web', livenessProbe: probe }] });
  return (podSpec[list] as JsonObject[])[0]?.['livenessProbe'];
}

describe('a Pod spec after API defaulting', () => {
  it('shares what needed no default with its input', () => {
    const done = { name: 'done', readinessProbe: { tcpSocket: { port: 1 }, ...NUMBERS } };
    const podSpec = { containers: [done, { name: 'other', readinessProbe: {} }], volumes: [] };
    const defaulted = defaultedPodSpec(podSpec);
    expect((defaulted['containers'] as unknown[])[0]).toBe(done);
    expect(defaulted['volumes']).toBe(podSpec.volumes);
    expect(defaultedPodSpec(defaulted)).toBe(defaulted);
  });

  it('keeps a member named __proto__ as what it is', () => {
    const probe = JSON.parse('{"__proto__": {"periodSeconds": 5}, "exec": {}}') as JsonObject;
    expect(JSON.stringify(defaultedProbe(probe))).toContain('"__proto__":{"periodSeconds":5}');
    expect(defaultedProbe(probe)).toHaveProperty('periodSeconds', 10);
  });

  it('comes of any JSON, and never changes its input', () =>
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (containers, probe) => {
        const podSpec = { containers: [...containers, { livenessProbe: probe }], initContainers: probe } as JsonObject;
        const before = JSON.stringify(podSpec);
        const defaulted = defaultedPodSpec(podSpec);
        expect(JSON.stringify(podSpec)).toBe(before);
        expect(defaultedPodSpec(defaulted)).toBe(defaulted);
      }),
    ));
});
