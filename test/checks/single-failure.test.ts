import { describe, expect, it } from 'vitest';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';

const ID = 'single-failure';

describe('single-failure', () => {
  it('says what one failure does, and what to write', () => {
    expect(onlyFinding(ID, podWith({ livenessProbe: httpProbe({ failureThreshold: 1, timeoutSeconds: 2 }) }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.failureThreshold',
      message:
        'container "app" is restarted after 1 failed livenessProbe: one lost packet is enough, ' +
        'or one answer that takes more than 2 s',
      remedy: 'write failureThreshold: 3',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'failureThreshold'], value: 3 }],
    });
  });

  it.each([2, 3, 0, null, '1', undefined])('accepts a failureThreshold of %j', (failureThreshold) => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ failureThreshold }) }))).toEqual([]);
  });

  it('is about liveness only', () => {
    const probe = httpProbe({ failureThreshold: 1 });
    expect(findings(ID, podWith({ readinessProbe: probe, startupProbe: probe }))).toEqual([]);
    expect(findings(ID, podWith({}))).toEqual([]);
  });
});
