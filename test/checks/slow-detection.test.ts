import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'slow-detection';
const probing = (integers: JsonObject, grace = 30): JsonObject =>
  podWith({ livenessProbe: httpProbe(integers) }, { terminationGracePeriodSeconds: grace });

describe('slow-detection', () => {
  it("blames the Pod's long grace period, and gives the one for the probe", () => {
    // 10 + 2*10 + 1 = 31 s of probes
    expect(onlyFinding(ID, probing({}, 3600))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.terminationGracePeriodSeconds',
      message:
        'container "app" may hang for 3631 s before it is dead (31 s of probes, 3600 s of grace), over 600 s; ' +
        'write terminationGracePeriodSeconds: 569 or less',
    });
  });

  it('accepts 600 s and finds 601 s', () => {
    expect(findings(ID, probing({}, 569))).toEqual([]);
    expect(findings(ID, probing({}, 570))).toHaveLength(1);
  });

  it('blames the failureThreshold where the probes take longer, with the largest that is enough', () => {
    const found = onlyFinding(ID, probing({ failureThreshold: 100 }));
    expect(found.path).toMatch(/failureThreshold$/);
    expect(found.message).toContain('write failureThreshold: 56 or less');
    expect(findings(ID, probing({ failureThreshold: 56 }))).toEqual([]);
    expect(findings(ID, probing({ failureThreshold: 57 }))).toHaveLength(1);
  });

  it("lets the probe's own grace period win", () => {
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 30 }, 3600))).toEqual([]);
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 3600 }, 30))).toHaveLength(1);
  });

  it('counts a grace period of less than 2 s as 2 s', () => {
    expect(findings(ID, probing({}, 0), { maximumSeconds: 32 })).toHaveLength(1);
    expect(findings(ID, probing({}, 0), { maximumSeconds: 33 })).toEqual([]);
  });

  it('counts 2 s more for a preStop hook, also in the grace period that it gives', () => {
    const lifecycle = { preStop: { exec: { command: ['sleep', '1'] } } };
    const withHook = (seconds: number): JsonObject =>
      podWith({ livenessProbe: httpProbe(), lifecycle }, { terminationGracePeriodSeconds: seconds });
    expect(onlyFinding(ID, withHook(3600)).message).toBe(
      'container "app" may hang for 3633 s before it is dead (31 s of probes, 3600 s of grace, 2 s after its preStop hook), ' +
        'over 600 s; write terminationGracePeriodSeconds: 567 or less',
    );
    expect(findings(ID, withHook(567))).toEqual([]);
    expect(findings(ID, withHook(568))).toHaveLength(1);
  });

  it('names all three when no one of them is enough', () => {
    expect(onlyFinding(ID, probing({ periodSeconds: 700 })).message).toContain('shorten periodSeconds');
  });

  it('is about liveness only, and works nothing out from malformed numbers', () => {
    expect(findings(ID, podWith({ readinessProbe: httpProbe({ periodSeconds: 900 }) }))).toEqual([]);
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 'x' }, 3600))).toEqual([]);
  });
});
