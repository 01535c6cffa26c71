import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'timeout-over-period';
const probing = (integers: JsonObject): JsonObject => podWith({ livenessProbe: httpProbe(integers) });

describe('timeout-over-period', () => {
  it('gives the real interval and the time to the verdict', () =>
    expect(onlyFinding(ID, probing({ periodSeconds: 5, timeoutSeconds: 20 }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.timeoutSeconds',
      message: 'container "app" is probed every 20 s while it hangs, not every 5 s (3 failures take 60 s)',
      remedy: 'write periodSeconds: 20, or timeoutSeconds: 5 or less',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'periodSeconds'], value: 20 }],
    }));

  it('finds T = P+1 and accepts T = P', () => {
    expect(findings(ID, probing({ periodSeconds: 5, timeoutSeconds: 6 }))).toHaveLength(1);
    expect(findings(ID, probing({ periodSeconds: 5, timeoutSeconds: 5 }))).toEqual([]);
  });

  it('counts with the defaults: 10 s of period', () => {
    expect(findings(ID, probing({ timeoutSeconds: 10 }))).toEqual([]);
    expect(findings(ID, probing({ timeoutSeconds: 11 }))).toHaveLength(1);
  });

  it('is a note, for every probe', () => {
    expect(CHECK_CATALOGUE[ID]?.action).toBe('Audit');
    for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'])
      expect(onlyFinding(ID, podWith({ [kind]: httpProbe({ timeoutSeconds: 11 }) })).level).toBeUndefined();
  });

  it('rounds the period up, and gives none that makes liveness or readiness slow', () => {
    const written = (kind: string, integers: JsonObject): unknown =>
      onlyFinding(ID, podWith({ [kind]: httpProbe(integers) })).edits?.[0]?.value;
    expect(written('livenessProbe', { timeoutSeconds: 11 })).toBe(15);
    // 5 + 2*30 + 30 + 30 = 125 s to the kill; with a period of 30 s it would be 150 s.
    expect(written('livenessProbe', { periodSeconds: 5, timeoutSeconds: 30 })).toBeUndefined();
    // 10 + 7*15 + 15 + 30 = 160 s to the kill; with a period of 15 s it would be 165 s, 135 s of them for the probe.
    expect(written('livenessProbe', { timeoutSeconds: 15, failureThreshold: 8 })).toBeUndefined();
    // 30 + 2*30 + 30 = 120 s until the traffic stops
    expect(written('readinessProbe', { timeoutSeconds: 30 })).toBeUndefined();
    expect(written('startupProbe', { timeoutSeconds: 30 })).toBe(30);
  });

  it('looks at all three probes', () => {
    const probe = httpProbe({ timeoutSeconds: 11 });
    expect(paths(ID, podWith({ startupProbe: probe, readinessProbe: probe, livenessProbe: probe }))).toEqual([
      'spec.containers[0].livenessProbe.timeoutSeconds',
      'spec.containers[0].readinessProbe.timeoutSeconds',
      'spec.containers[0].startupProbe.timeoutSeconds',
    ]);
  });
});
