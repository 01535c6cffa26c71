import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';

const ID = 'single-failure';

describe('single-failure', () => {
  it('says what one failure does, and what to write', () =>
    expect(onlyFinding(ID, podWith({ livenessProbe: httpProbe({ failureThreshold: 1, timeoutSeconds: 2 }) }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.failureThreshold',
      message:
        'container "app" is restarted after 1 failed livenessProbe: one lost packet is enough, ' +
        'or one answer that takes more than 2 s',
      remedy: 'write failureThreshold: 3',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'failureThreshold'], value: 3 }],
    }));

  it('allows 2 failures, or gives no number, where a long period makes 3 too slow to kill', () => {
    const { remedy } = onlyFinding(
      ID,
      podWith({ livenessProbe: httpProbe({ failureThreshold: 1, periodSeconds: 30 }) }),
    );
    // 30 + 2*30 + 1 + 30 = 121 s
    expect(remedy).toBe('write failureThreshold: 2');
    const slow = onlyFinding(ID, podWith({ livenessProbe: httpProbe({ failureThreshold: 1, periodSeconds: 60 }) }));
    expect(slow.remedy).toBe('allow more failures, with a shorter periodSeconds');
    expect(slow.edits).toBeUndefined();
  });

  it.each([2, 3, 0, null, '1', undefined])('accepts a failureThreshold of %j', (failureThreshold) =>
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ failureThreshold }) }))).toEqual([]),
  );

  it('is about liveness only', () => {
    const probe = httpProbe({ failureThreshold: 1 });
    expect(findings(ID, podWith({ readinessProbe: probe, startupProbe: probe }))).toEqual([]);
    expect(findings(ID, podWith({}))).toEqual([]);
  });
});
