import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'slow-detection';
const probing = (integers: JsonObject, grace = 30): JsonObject =>
  podWith({ livenessProbe: httpProbe(integers) }, { terminationGracePeriodSeconds: grace });

describe('slow-detection', () => {
  it("blames the Pod's long grace period, and gives the one for the probe", () => {
    // 10 + 2*10 + 1 = 31 s of probes
    expect(onlyFinding(ID, probing({}, 3600))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.terminationGracePeriodSeconds',
      message: 'container "app" may hang for 3631 s before it is dead (31 s of probes, 3600 s of grace), over 600 s',
      remedy: 'write terminationGracePeriodSeconds: 540 or less',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'terminationGracePeriodSeconds'], value: 540 }],
      level: 'Warn',
    });
  });

  it('accepts 600 s and finds 601 s', () => {
    expect(findings(ID, probing({}, 569))).toEqual([]);
    expect(findings(ID, probing({}, 570))).toHaveLength(1);
  });

  it('advises no lower failureThreshold, and no shorter period without a startup probe', () => {
    const found = onlyFinding(ID, probing({ failureThreshold: 100 }));
    expect(found.path).toMatch(/livenessProbe.periodSeconds$/);
    expect(found.remedy).toBe(
      'shorten periodSeconds, timeoutSeconds or terminationGracePeriodSeconds, and guard the start with a startupProbe',
    );
    expect(found.edits).toBeUndefined();
    expect(found.level).toBeUndefined();
    expect(findings(ID, probing({ failureThreshold: 56 }))).toEqual([]);
    expect(findings(ID, probing({ failureThreshold: 57 }))).toHaveLength(1);
  });

  it('shortens the period beside a startup probe, with the longest that is enough', () => {
    // 100*5 + 1 + 30 = 531 s; 100*6 would be 631 s
    const guarded = (periodSeconds: number): JsonObject =>
      podWith({ startupProbe: httpProbe(), livenessProbe: httpProbe({ failureThreshold: 100, periodSeconds }) });
    expect(onlyFinding(ID, guarded(10))).toMatchObject({
      remedy: 'write periodSeconds: 5 or less',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'periodSeconds'], value: 5 }],
    });
    expect(findings(ID, guarded(5))).toEqual([]);
  });

  it("is a warning if the Pod's grace period alone is longer than maximumSeconds", () => {
    expect(onlyFinding(ID, probing({}, 600)).level).toBeUndefined();
    expect(onlyFinding(ID, probing({}, 601)).level).toBe('Warn');
    expect(onlyFinding(ID, probing({ terminationGracePeriodSeconds: 601 }, 30)).level).toBeUndefined();
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
    const { message, remedy } = onlyFinding(ID, withHook(3600));
    expect(message).toBe(
      'container "app" may hang for 3633 s before it is dead (31 s of probes, 3600 s of grace, 2 s after its preStop hook), ' +
        'over 600 s',
    );
    expect(remedy).toBe('write terminationGracePeriodSeconds: 540 or less');
    expect(findings(ID, withHook(567))).toEqual([]);
    expect(findings(ID, withHook(568))).toHaveLength(1);
  });

  it('is about the grace period of the Pod where the kill ends the Pod', () => {
    const patient = (restartPolicy: string): JsonObject =>
      podWith({ livenessProbe: httpProbe() }, { terminationGracePeriodSeconds: 3600, restartPolicy });
    expect(onlyFinding(ID, patient('Always'))).toHaveProperty('edits');
    const never = onlyFinding(ID, patient('Never'));
    expect(never.path).toBe('spec.terminationGracePeriodSeconds');
    expect(never).not.toHaveProperty('edits');
  });

  it('names all three when no one of them is enough', () =>
    expect(onlyFinding(ID, probing({ periodSeconds: 700 })).remedy).toContain('shorten periodSeconds'));

  it('proposes no period below 5 s for exec', () => {
    // 2*20 + 1 = 41 s
    const readinessProbe = { exec: { command: ['pg_isready'] }, failureThreshold: 20 };
    const { remedy, edits } = onlyFinding(ID, podWith({ readinessProbe }));
    expect(remedy).toBe('shorten periodSeconds or timeoutSeconds of the readinessProbe');
    expect(edits).toBeUndefined();
    expect(onlyFinding(ID, podWith({ readinessProbe: httpProbe({ failureThreshold: 20 }) })).edits).toHaveLength(1);
  });

  const ready = (integers: JsonObject): JsonObject => podWith({ readinessProbe: httpProbe(integers) });

  it('finds a readiness probe that needs more than 60 s, and gives the longest round period that is enough', () => {
    // 30 + 2*30 + 1 = 91 s; 3*15 + 1 = 46 s, and 3*20 + 1 would be 61 s.
    expect(onlyFinding(ID, ready({ periodSeconds: 30 }))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.periodSeconds',
      message: 'container "app" may hang for 91 s before readiness stops its traffic, over 60 s',
      remedy: 'write periodSeconds: 15 or less',
      edits: [{ path: ['spec', 'containers', 0, 'readinessProbe', 'periodSeconds'], value: 15 }],
    });
    expect(findings(ID, ready({ periodSeconds: 19, timeoutSeconds: 3 }))).toEqual([]);
    expect(findings(ID, ready({ periodSeconds: 19, timeoutSeconds: 4 }))).toHaveLength(1);
    expect(findings(ID, ready({ periodSeconds: 30 }), { readinessSeconds: 91 })).toEqual([]);
  });

  it('gives no period where the timeouts are the longer part, or where a heavy client would run more often', () => {
    const remedy = 'shorten periodSeconds or timeoutSeconds of the readinessProbe';
    const heavy = { exec: { command: ['nodetool', 'info'] }, periodSeconds: 30, timeoutSeconds: 5 };
    for (const manifest of [ready({ timeoutSeconds: 30, periodSeconds: 30 }), podWith({ readinessProbe: heavy })]) {
      expect(onlyFinding(ID, manifest).remedy).toBe(remedy);
      expect(onlyFinding(ID, manifest).edits).toBeUndefined();
    }
  });

  it('works nothing out from malformed numbers', () =>
    expect(findings(ID, probing({ terminationGracePeriodSeconds: 'x' }, 3600))).toEqual([]));
});
