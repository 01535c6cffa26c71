import { describe, expect, it } from 'vitest';
import { deploymentWith, findings, httpProbe, onlyFinding, paths, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'exec-cost';
const running = (integers: JsonObject): JsonObject => ({ exec: { command: ['true'] }, timeoutSeconds: 2, ...integers });

describe('exec-cost', () => {
  it("counts the processes for the workload's replicas", () => {
    const workload = deploymentWith({ livenessProbe: running({ periodSeconds: 2 }) }, { replicas: 3 });
    expect(onlyFinding(ID, workload)).toEqual({
      probe: 'livenessProbe',
      path: 'spec.template.spec.containers[0].livenessProbe.periodSeconds',
      message:
        'container "app" starts 30 processes a minute on its node, 90 for its 3 replicas, for the exec livenessProbe',
      remedy: 'write periodSeconds: 5 or more',
      edits: [
        {
          path: ['spec', 'template', 'spec', 'containers', 0, 'livenessProbe', 'periodSeconds'],
          value: 5,
        },
      ],
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
        'container "app" gives the command of its exec livenessProbe 1 s to start and end, also on a busy node, and a timeout is a failure',
      remedy: 'write timeoutSeconds: 5',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'timeoutSeconds'], value: 5 }],
    });
    expect(findings(ID, podWith({ livenessProbe: { exec: { command: ['true'] } } }))).toHaveLength(1);
    expect(findings(ID, podWith({ livenessProbe: running({ timeoutSeconds: 2 }) }))).toEqual([]);
  });

  it('reports both at once', () =>
    expect(paths(ID, podWith({ livenessProbe: running({ periodSeconds: 1, timeoutSeconds: 1 }) }))).toEqual([
      'spec.containers[0].livenessProbe.periodSeconds',
      'spec.containers[0].livenessProbe.timeoutSeconds',
    ]));

  it.each(cases('exec-cost', 'asks for 30') as [string[], string][])(
    'asks for 30 s between two runs of a heavy client: %j',
    (command, client) => {
      const every = (periodSeconds: number): JsonObject =>
        podWith({ livenessProbe: running({ exec: { command }, periodSeconds, failureThreshold: 2 }) });
      expect(onlyFinding(ID, every(29))).toMatchObject({
        message: expect.stringContaining(`processes of the heavy client ${client} a minute`) as string,
        remedy: 'write periodSeconds: 30 or more',
      });
      expect(findings(ID, every(30))).toEqual([]);
    },
  );

  it('gives no numbers where a longer period would make liveness or readiness slow', () => {
    const probe = running({ exec: { command: ['nodetool', 'info'] }, periodSeconds: 10 });
    for (const kind of ['livenessProbe', 'readinessProbe']) {
      const { remedy, edits } = onlyFinding(ID, podWith({ [kind]: probe }));
      expect(remedy).toBe('ask with httpGet, tcpSocket or grpc, or with a smaller program');
      expect(edits).toBeUndefined();
    }
  });

  it.each(cases('exec-cost', 'takes for no') as [unknown][])('takes %j for no heavy client', (command) =>
    expect(findings(ID, podWith({ livenessProbe: running({ exec: { command } }) }))).toEqual([]),
  );

  it('keeps the timeout within the period', () => {
    const every = (periodSeconds: number): JsonObject =>
      podWith({ livenessProbe: running({ periodSeconds, timeoutSeconds: 1 }) });
    const remedies = (periodSeconds: number): unknown[] =>
      findings(ID, every(periodSeconds), { minimumPeriodSeconds: 0 }).map(({ remedy }) => remedy);
    expect(remedies(3)).toEqual(['write timeoutSeconds: 2']);
    expect(remedies(1)).toEqual(['write timeoutSeconds: 5 and periodSeconds: 5']);
  });

  it('makes no kill beyond 120 s later, unless the grace period alone is over 60 s', () => {
    const withGrace = (terminationGracePeriodSeconds: number): JsonObject =>
      podWith({ livenessProbe: running({ periodSeconds: 30, timeoutSeconds: 1 }) }, { terminationGracePeriodSeconds });
    for (const seconds of [30, 60]) {
      const { remedy, edits } = onlyFinding(ID, withGrace(seconds));
      expect(remedy).toBe('write a longer timeoutSeconds and a shorter periodSeconds');
      expect(edits).toBeUndefined();
    }
    expect(onlyFinding(ID, withGrace(61)).remedy).toBe('write timeoutSeconds: 5');
  });

  it('proposes one period for a probe whose period and timeout are both too short', () => {
    const probe = (integers: JsonObject): JsonObject =>
      podWith({ livenessProbe: running({ periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 2, ...integers }) });
    const command = ['rabbitmq-diagnostics', 'ping'];
    const remedies = (pod: JsonObject, parameters: JsonObject = {}): unknown[] =>
      findings(ID, pod, parameters).map(({ remedy }) => remedy);
    expect(remedies(probe({ exec: { command } }))).toEqual([
      'write periodSeconds: 30 or more',
      'write timeoutSeconds: 5 and periodSeconds: 30',
    ]);
    expect(remedies(probe({}), { minimumPeriodSeconds: 12 })).toEqual([
      'write periodSeconds: 15 or more',
      'write timeoutSeconds: 5 and periodSeconds: 15',
    ]);
    expect(remedies(probe({ exec: { command }, failureThreshold: 5 }))).toEqual([
      'ask with httpGet, tcpSocket or grpc, or with a smaller program',
      'ask with httpGet, tcpSocket or grpc, or with a smaller program',
    ]);
  });

  it('is about exec only', () =>
    expect(findings(ID, podWith({ livenessProbe: httpProbe({ periodSeconds: 1 }) }))).toEqual([]));
});
