import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'killed-before-drained';
const probes = (liveness: JsonObject, readiness: JsonObject): JsonObject =>
  podWith({ livenessProbe: httpProbe(liveness, '/live'), readinessProbe: httpProbe(readiness, '/ready') });

describe('killed-before-drained', () => {
  it('gives the two times', () =>
    expect(onlyFinding(ID, probes({}, {}))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.failureThreshold',
      message:
        'container "app" may be restarted 20 s after a fault, before readiness stops its traffic (after up to 31 s)',
      remedy: 'write failureThreshold: 5',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'failureThreshold'], value: 5 }],
    }));

  it('accepts a liveness probe that gives up strictly later', () => {
    expect(findings(ID, probes({ failureThreshold: 4 }, {}))).toHaveLength(1);
    expect(findings(ID, probes({ failureThreshold: 5 }, {}))).toEqual([]);
  });

  it('takes a tie for a violation', () => {
    expect(findings(ID, probes({ failureThreshold: 2, periodSeconds: 31 }, {}))).toHaveLength(1);
    expect(findings(ID, probes({ failureThreshold: 2, periodSeconds: 32 }, {}))).toEqual([]);
  });

  it('leaves the same endpoint to shared-endpoint', () =>
    expect(findings(ID, podWith({ livenessProbe: httpProbe(), readinessProbe: httpProbe() }))).toEqual([]));
});
