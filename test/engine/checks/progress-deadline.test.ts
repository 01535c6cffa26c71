import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'progress-deadline';
// B_max = 10 + 59*10 + 1 = 601 s
const slow = { startupProbe: httpProbe({ failureThreshold: 60 }) };
const ready = { readinessProbe: httpProbe({ periodSeconds: 5, successThreshold: 2 }) };

describe('progress-deadline', () => {
  it('gives the three parts and their sum', () => {
    const workload = deploymentWith({ ...slow, ...ready }, { minReadySeconds: 20 });
    expect(onlyFinding(ID, workload)).toEqual({
      path: 'spec.progressDeadlineSeconds',
      message:
        'container "app" may take 601 s to start, 10 s to be Ready and minReadySeconds 20, but a healthy rollout ' +
        'is reported as failed after 600 s',
      remedy: 'write progressDeadlineSeconds: 660 or more',
      edits: [{ path: ['spec', 'progressDeadlineSeconds'], value: 660 }],
    });
  });

  it.each([
    [630, 1],
    [631, 0],
  ])('with progressDeadlineSeconds %i finds %i', (progressDeadlineSeconds, count) => {
    const workload = deploymentWith({ ...slow, ...ready }, { minReadySeconds: 20, progressDeadlineSeconds });
    expect(findings(ID, workload)).toHaveLength(count);
  });

  it('is a note, also for a deadline that is much too short', () => {
    expect(CHECK_CATALOGUE[ID]?.action).toBe('Audit');
    expect(onlyFinding(ID, deploymentWith(slow, { progressDeadlineSeconds: 60 })).level).toBeUndefined();
  });

  it('takes the liveness probe for the gate where there is no startup probe', () => {
    const livenessProbe = httpProbe({ failureThreshold: 60 });
    expect(findings(ID, deploymentWith({ livenessProbe }))).toHaveLength(1);
    expect(findings(ID, deploymentWith({ livenessProbe, startupProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, deploymentWith({ livenessProbe: httpProbe({ failureThreshold: 59 }) }))).toEqual([]);
  });

  it('is about Deployments only', () => {
    expect(findings(ID, podWith(slow))).toEqual([]);
    expect(findings(ID, { ...deploymentWith(slow), kind: 'StatefulSet' })).toEqual([]);
  });

  it.each<JsonObject>([{ progressDeadlineSeconds: 'x' }, { minReadySeconds: -1 }, { minReadySeconds: {} }])(
    'works nothing out from %j',
    (spec) => expect(findings(ID, deploymentWith(slow, spec))).toEqual([]),
  );
});
