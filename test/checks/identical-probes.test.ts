import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/probes/json.ts';

const ID = 'identical-probes';
const both = (livenessProbe: JsonObject, readinessProbe: JsonObject): JsonObject =>
  podWith({ livenessProbe, readinessProbe });

describe('identical-probes', () => {
  it('gives the failureThreshold that would be enough', () => {
    expect(onlyFinding(ID, both(httpProbe(), httpProbe()))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe',
      message:
        'container "app" has the same probe for liveness and readiness, so a fault restarts it instead of draining it; ' +
        'write failureThreshold: 5, or an endpoint of its own',
    });
  });

  it('compares after API defaulting, and in any order of keys', () => {
    const written = {
      failureThreshold: 3,
      periodSeconds: 10,
      initialDelaySeconds: 0,
      httpGet: { port: 'http', path: '/live' },
    };
    expect(findings(ID, both(written, httpProbe()))).toHaveLength(1);
    expect(findings(ID, both(httpProbe({ terminationGracePeriodSeconds: null }), httpProbe()))).toHaveLength(1);
  });

  it('accepts any difference', () => {
    expect(findings(ID, both(httpProbe({ failureThreshold: 4 }), httpProbe()))).toEqual([]);
    expect(findings(ID, both(httpProbe({}, '/a'), httpProbe()))).toEqual([]);
    expect(findings(ID, both(httpProbe({ initialDelaySeconds: 1 }), httpProbe()))).toEqual([]);
  });

  it('needs both', () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, podWith({}))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: 'x', readinessProbe: 'x' }))).toEqual([]);
  });
});
