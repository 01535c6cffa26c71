import { describe, expect, it } from 'vitest';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'exec-cost';
const running = (integers: JsonObject): JsonObject => ({ exec: { command: ['true'] }, timeoutSeconds: 2, ...integers });

describe('exec-cost', () => {
  it("counts the processes for the workload's replicas", () => {
    const workload = deploymentWith({ livenessProbe: running({ periodSeconds: 2 }) }, { replicas: 3 });
    expect(onlyFinding(ID, workload)).toEqual({
      probe: 'livenessProbe',
      path: 'spec.template.spec.containers[0].livenessProbe.periodSeconds',
      message:
        'container "app" is made to start 30 processes a minute on its node, 90 for its 3 replicas, by the exec livenessProbe; ' +
        'write periodSeconds: 5 or more',
    });
  });

  it('finds a period of 4 s and accepts 5 s', () => {
    expect(findings(ID, podWith({ readinessProbe: running({ periodSeconds: 4 }) }))).toHaveLength(1);
    expect(findings(ID, podWith({ readinessProbe: running({ periodSeconds: 5 }) }))).toEqual([]);
  });

  it('obeys minimumPeriodSeconds', () => {
    const pod = podWith({ readinessProbe: running({ periodSeconds: 10 }) });
    expect(findings(ID, pod, { minimumPeriodSeconds: 10 })).toEqual([]);
    expect(findings(ID, pod, { minimumPeriodSeconds: 11 })).toHaveLength(1);
  });

  it('finds a timeout of 1 s, also the default, and accepts 2 s', () => {
    expect(onlyFinding(ID, podWith({ livenessProbe: running({ timeoutSeconds: 1 }) }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.timeoutSeconds',
      message:
        'container "app" gives the command of its exec livenessProbe 1 s to start and end, also on a busy node, and a timeout is a failure; ' +
        'write timeoutSeconds: 5',
    });
    expect(findings(ID, podWith({ livenessProbe: { exec: { command: ['true'] } } }))).toHaveLength(1);
    expect(findings(ID, podWith({ livenessProbe: running({ timeoutSeconds: 2 }) }))).toEqual([]);
  });

  it('reports both at once', () => {
    expect(paths(ID, podWith({ livenessProbe: running({ periodSeconds: 1, timeoutSeconds: 1 }) }))).toEqual([
      'spec.containers[0].livenessProbe.periodSeconds',
      'spec.containers[0].livenessProbe.timeoutSeconds',
    ]);
  });

  it('is about exec only', () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ periodSeconds: 1 }) }))).toEqual([]);
  });
});
