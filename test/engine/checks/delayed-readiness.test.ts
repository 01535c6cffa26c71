import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'delayed-readiness';
const readiness = (initialDelaySeconds: number, others: JsonObject = {}): JsonObject =>
  podWith({ readinessProbe: httpProbe({ initialDelaySeconds }, '/ready'), ...others });
const at = (...path: string[]): unknown[] => ['spec', 'containers', 0, ...path];

describe('delayed-readiness', () => {
  it('removes the delay of a container that no liveness probe kills, and shows the startup probe', () => {
    // (17-1)*5 = 80 s: the delay of 60 s and the two failures that the readiness probe has after it
    expect(onlyFinding(ID, readiness(60))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.initialDelaySeconds',
      message: 'container "app" is not Ready for 60 s after every start, and every rollout waits for that',
      remedy:
        'remove initialDelaySeconds, or replace it by startupProbe: { httpGet: { path: /ready, port: http }, ' +
        'periodSeconds: 5, failureThreshold: 17 } (guarantees 80 s to start)',
      edits: [{ path: at('readinessProbe', 'initialDelaySeconds'), value: null }],
      copied: { probe: 'readinessProbe', otherwise: 'remove initialDelaySeconds' },
    });
  });

  it('replaces the delays of both probes by a startup probe with the handler of liveness', () => {
    // The readiness probe waits for 60 s; 20 s + 19 s is what liveness alone guarantees.
    const livenessProbe = httpProbe({ initialDelaySeconds: 20 });
    const { remedy, edits } = onlyFinding(ID, readiness(60, { livenessProbe }));
    expect(remedy).toBe(
      'remove initialDelaySeconds of both probes and write startupProbe: { httpGet: { path: /live, port: http }, ' +
        'periodSeconds: 5, failureThreshold: 13 } (guarantees 60 s to start)',
    );
    expect(edits).toEqual([
      { path: at('livenessProbe', 'initialDelaySeconds'), value: null },
      { path: at('readinessProbe', 'initialDelaySeconds'), value: null },
      {
        path: at('startupProbe'),
        value: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 5, failureThreshold: 13 },
      },
    ]);
  });

  it('names the probe with the delay where only one has a delay', () =>
    expect(onlyFinding(ID, readiness(60, { livenessProbe: httpProbe() })).remedy).toMatch(
      /^remove initialDelaySeconds of the readinessProbe and write startupProbe: /,
    ));

  it('finds a delay of 30 s and accepts 29 s', () => {
    expect(findings(ID, readiness(30))).toHaveLength(1);
    expect(findings(ID, readiness(29))).toEqual([]);
  });

  it('obeys seconds', () => {
    expect(findings(ID, readiness(60), { seconds: 61 })).toEqual([]);
    expect(findings(ID, readiness(5), { seconds: 5 })).toHaveLength(1);
  });

  it('accepts a delay beside a startup probe', () =>
    expect(findings(ID, readiness(60, { startupProbe: httpProbe() }))).toEqual([]));

  it('suggests no startup probe beside a malformed liveness probe', () =>
    expect(onlyFinding(ID, readiness(60, { livenessProbe: {} })).remedy).toBe('remove initialDelaySeconds'));
});
