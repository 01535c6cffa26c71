import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'identical-probes';
const both = (livenessProbe: JsonObject, readinessProbe: JsonObject): JsonObject =>
  podWith({ livenessProbe, readinessProbe });

describe('identical-probes', () => {
  it('gives the failureThreshold that would be enough', () =>
    expect(onlyFinding(ID, both(httpProbe(), httpProbe()))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe',
      message:
        'container "app" has the same probe for liveness and readiness, so a fault restarts it instead of draining it',
      remedy: 'write failureThreshold: 5, or ask an endpoint that reports on this process only',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'failureThreshold'], value: 5 }],
    }));

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

  it('compares protocol and mode, and knows their defaults', () => {
    const http = (protocol?: string): JsonObject => ({ httpGet: { path: '/live', port: 'http', protocol } });
    const grpc = (mode?: string): JsonObject => ({ grpc: { port: 9000, mode } });
    expect(findings(ID, both(http('HTTP1'), http()))).toHaveLength(1);
    expect(findings(ID, both(grpc(), grpc('Plaintext')))).toHaveLength(1);
    expect(findings(ID, both(http('HTTP2'), http()))).toEqual([]);
    expect(findings(ID, both(grpc(), grpc('TLS')))).toEqual([]);
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
