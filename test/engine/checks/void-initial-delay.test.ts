import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { findings, httpProbe, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'void-initial-delay';
// (4-1)*10 = 30 s guaranteed
const guarded = (probes: JsonObject): JsonObject =>
  podWith({ startupProbe: httpProbe({ failureThreshold: 4 }), ...probes });

describe('void-initial-delay', () => {
  it('says from when the delay counts and how long the start is guarded', () =>
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 20 }) }))).toEqual([
      {
        probe: 'livenessProbe',
        path: 'spec.containers[0].livenessProbe.initialDelaySeconds',
        message:
          'container "app" delays its livenessProbe by 20 s from its start, which startupProbe already guards for 30 s',
        remedy: 'remove initialDelaySeconds',
        edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'initialDelaySeconds'], value: null }],
      },
    ]));

  it('wants a guard that is longer, not as long', () => {
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 29 }) }))).toHaveLength(1);
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 30 }) }))).toEqual([]);
  });

  it('is a note, for one probe and for both', () => {
    const probe = httpProbe({ initialDelaySeconds: 1 });
    const levels = (probes: JsonObject): unknown[] => findings(ID, guarded(probes)).map(({ level }) => level);
    expect(CHECK_CATALOGUE[ID]?.action).toBe('Audit');
    expect(levels({ livenessProbe: probe, readinessProbe: probe })).toEqual([undefined, undefined]);
    expect(levels({ readinessProbe: probe })).toEqual([undefined]);
  });

  it('accepts no delay, and a delay without a startup probe', () => {
    expect(findings(ID, guarded({ livenessProbe: httpProbe({ initialDelaySeconds: 0 }) }))).toEqual([]);
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ initialDelaySeconds: 5 }) }))).toEqual([]);
  });
});
