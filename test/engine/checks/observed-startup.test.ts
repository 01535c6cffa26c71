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
const paths = (container: JsonObject, starts: Parameters<typeof found>[2]): string[] =>
  found('observed-startup', container, starts).map(({ path }) => path);

describe('observed-startup', () => {
  it('finds a startup probe that guarantees less than a container has needed', () =>
    expect(found('observed-startup', startup(5), { seconds: [12, 41, 30] })).toEqual([
      {
        probe: 'startupProbe',
        path: 'spec.template.spec.containers[0].startupProbe.failureThreshold',
        message:
          'container "app" has 40 s guaranteed to start before its startupProbe kills it, and the container has needed longer',
        properties: { guaranteedSeconds: 40, starts: 3, longestSeconds: 41, boundSeconds: 0 },
        remedy: 'write failureThreshold: 8 for 69 s',
        edits: [{ path: ['spec', 'template', 'spec', 'containers', 0, 'startupProbe', 'failureThreshold'], value: 8 }],
      },
    ]));

  it('accepts exactly what a container has needed', () => {
    expect(paths(startup(5), { seconds: [40] })).toEqual([]);
    expect(paths(startup(5), { seconds: [41] })).toHaveLength(1);
  });

  it('finds a probe that grants no more than a probe that has killed a start', () => {
    expect(paths(startup(5), { bound: 39 })).toEqual([]);
    const [finding] = found('observed-startup', startup(5), { bound: 40 });
    expect(finding?.message).toMatch(/and a probe has ended such a start$/);
    expect(finding?.remedy).toBe('write failureThreshold: 9 for 80 s');
  });

  it('reads the liveness probe of a container without a startup probe', () => {
    const liveness = { livenessProbe: { httpGet, periodSeconds: 10 } };
    expect(paths(liveness, { seconds: [21] })).toEqual([
      'spec.template.spec.containers[0].livenessProbe.failureThreshold',
    ]);
    expect(paths(liveness, { seconds: [20] })).toEqual([]);
  });

  it('is silent without measured starts, and without a probe that kills', () => {
    expect(paths(startup(1), {})).toEqual([]);
    expect(paths({ readinessProbe: { httpGet } }, { seconds: [500] })).toEqual([]);
    expect(paths({}, { seconds: [500] })).toEqual([]);
  });

  it('has a message without measured figures, which change from day to day', () => {
    const messages = [[41], [99, 50], [1200]].map(
      (seconds) => found('observed-startup', startup(5), { seconds })[0]?.message,
    );
    expect(new Set(messages).size).toBe(1);
  });
});

describe('the advice of other checks', () => {
  it('covers the measured starts', () => {
    const [delayed] = found(
      'delayed-liveness',
      { livenessProbe: { httpGet, initialDelaySeconds: 30 } },
      { seconds: [90] },
    );
    expect(delayed?.remedy).toMatch(/\(guarantees 145 s to start\)$/);
    const [budget] = found('startup-budget', startup(1), { seconds: [41] });
    expect(budget?.remedy).toBe('write failureThreshold: 8 for 69 s');
  });

  it('stays the same without measured starts', () => {
    const [budget] = found('startup-budget', startup(1), {});
    expect(budget?.remedy).toBe('write failureThreshold: 2 for 10 s');
  });
});
