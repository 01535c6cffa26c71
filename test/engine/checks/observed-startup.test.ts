import { describe, expect, it } from 'vitest';
import { findings, type PrintedFinding } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const httpGet = { path: '/live', port: 'http' };

/** What a check finds in the Deployment web, after these starts of its container. */
function found(
  id: string,
  container: JsonObject,
  starts: { seconds?: readonly number[]; bound?: number },
): PrintedFinding[] {
  const spec = { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 8080 }], ...container }] };
  const manifest = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { template: { spec } },
  };
  const samples = (starts.seconds ?? []).map((seconds, index) => ({
    seconds,
    basis: 'startup',
    at: '2026-11-20T10:00:00Z',
    id: String(index),
  }));
  const profile = {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'StartupProfile',
    metadata: { name: 'deployment-web', namespace: 'apps' },
    status: {
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      containers: [{ name: 'app', samples, censored: 1, censoredBoundSeconds: starts.bound ?? 0 }],
    },
  };
  return findings(id, manifest, {}, [profile]);
}

const startup = (failureThreshold: number): JsonObject => ({
  startupProbe: { httpGet, periodSeconds: 10, failureThreshold },
});

describe('observed-startup', () => {
  it('has a message without measured figures, which change from day to day', () => {
    const messages = [[41], [99, 50], [1200]].map(
      (seconds) => found('observed-startup', startup(5), { seconds })[0]?.message,
    );
    expect(new Set(messages).size).toBe(1);
  });
});
