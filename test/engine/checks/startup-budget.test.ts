import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'startup-budget';
const startup = (integers: JsonObject): JsonObject => podWith({ startupProbe: httpProbe(integers) });
const liveness = (integers: JsonObject): JsonObject => podWith({ livenessProbe: httpProbe(integers) });

describe('startup-budget', () => {
  it('gives the guaranteed time, the largest, and the failureThreshold for the minimum', () =>
    expect(onlyFinding(ID, startup({ failureThreshold: 1 }))).toEqual({
      probe: 'startupProbe',
      path: 'spec.containers[0].startupProbe.failureThreshold',
      message: 'container "app" has only 0 s guaranteed to start (at most 11 s) before its startupProbe kills it',
      remedy: 'write failureThreshold: 2 for 10 s',
      edits: [{ path: ['spec', 'containers', 0, 'startupProbe', 'failureThreshold'], value: 2 }],
    }));

  it('finds 9 s and accepts 10 s', () => {
    expect(findings(ID, startup({ periodSeconds: 9, failureThreshold: 2 }))).toHaveLength(1);
    expect(findings(ID, startup({ periodSeconds: 10, failureThreshold: 2 }))).toEqual([]);
    expect(findings(ID, startup({ initialDelaySeconds: 10, failureThreshold: 1 }))).toHaveLength(1);
    expect(findings(ID, startup({ initialDelaySeconds: 11, failureThreshold: 1 }))).toEqual([]);
  });

  it('lets the liveness probe speak where there is no startup probe', () => {
    expect(onlyFinding(ID, liveness({ periodSeconds: 3 })).path).toBe(
      'spec.containers[0].livenessProbe.failureThreshold',
    );
    expect(findings(ID, liveness({ periodSeconds: 5 }))).toEqual([]);
  });

  it('lets only the startup probe speak where there is one', () => {
    const probes = {
      startupProbe: httpProbe({ failureThreshold: 15 }),
      livenessProbe: httpProbe({ failureThreshold: 1 }),
    };
    expect(findings(ID, podWith(probes))).toEqual([]);
  });

  it('obeys minimumSeconds', () => {
    const half = startup({ periodSeconds: 10, failureThreshold: 31 });
    expect(findings(ID, half, { minimumSeconds: 300 })).toEqual([]);
    expect(onlyFinding(ID, half, { minimumSeconds: 301 }).remedy).toBe('write failureThreshold: 32 for 301 s');
    expect(findings(ID, startup({ failureThreshold: 1 }), { minimumSeconds: 0 })).toEqual([]);
  });

  it('writes a longer period where more than 60 failures would be needed', () => {
    // (60-1)*10 = 590 s is not enough; (41-1)*15 = 600 s
    expect(onlyFinding(ID, startup({ failureThreshold: 3 }), { minimumSeconds: 600 })).toMatchObject({
      remedy: 'write periodSeconds: 15 and failureThreshold: 41 for 600 s',
      edits: [
        { path: ['spec', 'containers', 0, 'startupProbe', 'periodSeconds'], value: 15 },
        { path: ['spec', 'containers', 0, 'startupProbe', 'failureThreshold'], value: 41 },
      ],
    });
  });

  it('writes a startup probe where a liveness probe would need more than 10 failures', () => {
    const { remedy, edits } = onlyFinding(ID, liveness({}), { minimumSeconds: 300 });
    expect(remedy).toBe(
      'write startupProbe: { httpGet: { path: /live, port: http }, periodSeconds: 10, failureThreshold: 31 }',
    );
    expect(edits).toEqual([
      {
        path: ['spec', 'containers', 0, 'startupProbe'],
        value: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10, failureThreshold: 31 },
      },
    ]);
  });

  it('works nothing out from malformed integers, nor from liveness beside a malformed startup probe', () => {
    expect(findings(ID, startup({ failureThreshold: '1' }))).toEqual([]);
    expect(findings(ID, podWith({ startupProbe: 'x', livenessProbe: httpProbe({ failureThreshold: 1 }) }))).toEqual([]);
  });

  it('says nothing about readiness, or without probes', () => {
    expect(findings(ID, podWith({ readinessProbe: httpProbe({ failureThreshold: 1 }) }))).toEqual([]);
    expect(findings(ID, podWith({}))).toEqual([]);
  });
});
