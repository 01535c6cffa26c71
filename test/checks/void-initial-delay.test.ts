import { describe, expect, it } from 'vitest';
import { findings, httpProbe, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'void-initial-delay';
// (4-1)*10 = 30 s guaranteed
const guarded = (probes: JsonObject): JsonObject =>
  podWith({ startupProbe: httpProbe({ failureThreshold: 4 }), ...probes });

describe('void-initial-delay', () => {
  it('says from when the delay counts and how long the start is guarded', () => {
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 20 }) }))).toEqual([
      {
        probe: 'livenessProbe',
        path: 'spec.containers[0].livenessProbe.initialDelaySeconds',
        message:
          'container "app" delays its livenessProbe by 20 s from its start, which startupProbe already guards for 30 s; ' +
          'take initialDelaySeconds out',
      },
    ]);
  });

  it('wants a guard that is longer, not as long', () => {
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 29 }) }))).toHaveLength(1);
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 30 }) }))).toEqual([]);
  });

  it('looks at liveness and readiness', () => {
    const probe = httpProbe({ initialDelaySeconds: 1 });
    expect(paths(ID, guarded({ livenessProbe: probe, readinessProbe: probe }))).toHaveLength(2);
  });

  it('accepts no delay, and a delay without a startup probe', () => {
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 0 }) }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ initialDelaySeconds: 5 }) }))).toEqual([]);
  });
});
