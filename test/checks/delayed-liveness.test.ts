import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'delayed-liveness';
const liveness = (integers: JsonObject): JsonObject => podWith({ livenessProbe: httpProbe(integers) });

/** The startup probe that a message says to write, read back. */
function probeIn(message: string): unknown {
  const yaml = /write (startupProbe: \{.*\}) \(/.exec(message)?.[1];
  return (parse(yaml ?? '') as JsonObject)['startupProbe'];
}

describe('delayed-liveness', () => {
  it('prints the startup probe to write, with the same guaranteed budget', () => {
    // 59 + 2*10 = 79 s are guaranteed today; 16*5 = 80 s are the least that a period of 5 s reaches.
    expect(onlyFinding(ID, liveness({ initialDelaySeconds: 60 }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.initialDelaySeconds',
      message:
        'container "app" is not watched for 60 s after every start; take initialDelaySeconds out and write ' +
        'startupProbe: { httpGet: { path: /live, port: http }, periodSeconds: 5, failureThreshold: 17 } (guarantees 80 s to start)',
    });
  });

  it('finds a delay of 30 s and accepts 29 s', () => {
    expect(findings(ID, liveness({ initialDelaySeconds: 30 }))).toHaveLength(1);
    expect(findings(ID, liveness({ initialDelaySeconds: 29 }))).toEqual([]);
  });

  it('finds a tolerance of 120 s with more than 10 failures, and accepts either below', () => {
    expect(onlyFinding(ID, liveness({ failureThreshold: 12 })).path).toMatch(/failureThreshold$/);
    expect(findings(ID, liveness({ failureThreshold: 11, periodSeconds: 11 }))).toHaveLength(1);
    expect(findings(ID, liveness({ failureThreshold: 10, periodSeconds: 60 }))).toEqual([]);
    expect(findings(ID, liveness({ failureThreshold: 119, periodSeconds: 1 }))).toEqual([]);
    expect(findings(ID, liveness({ failureThreshold: 120, periodSeconds: 1 }))).toHaveLength(1);
  });

  it('says how long the container may hang', () => {
    expect(onlyFinding(ID, liveness({ failureThreshold: 30 })).message).toMatch(
      /^container "app" may hang for 300 s \(30 failures, one every 10 s\) at any time before it is restarted; lower failureThreshold to 3/,
    );
  });

  it('leaves liveness the patience that readiness needs to drain the container first', () => {
    const probes = (failureThreshold: number, readiness: JsonObject): JsonObject =>
      podWith({ livenessProbe: httpProbe({ failureThreshold }), readinessProbe: httpProbe(readiness) });
    // 10 + 2*10 + 1 = 31 s until readiness gives up; (5-1)*10 = 40 s is the first after it.
    expect(onlyFinding(ID, probes(30, {})).message).toContain('; lower failureThreshold to 5 and write startupProbe: ');
    expect(onlyFinding(ID, probes(30, { failureThreshold: 60 })).message).toContain(
      '; keep failureThreshold and write ',
    );
  });

  it('has nothing to say beside a startup probe', () => {
    expect(
      findings(ID, podWith({ startupProbe: httpProbe(), livenessProbe: httpProbe({ initialDelaySeconds: 60 }) })),
    ).toEqual([]);
  });

  it('obeys seconds and toleranceSeconds', () => {
    expect(findings(ID, liveness({ initialDelaySeconds: 60 }), { seconds: 61 })).toEqual([]);
    expect(findings(ID, liveness({ initialDelaySeconds: 5 }), { seconds: 5 })).toHaveLength(1);
    expect(findings(ID, liveness({ failureThreshold: 12 }), { toleranceSeconds: 121 })).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'headers, scheme, timeout and grace',
      {
        httpGet: { path: '/a, b', port: 8080, scheme: 'HTTPS', httpHeaders: [{ name: 'Host', value: 'no: "x"' }] },
        timeoutSeconds: 7,
        terminationGracePeriodSeconds: 5,
      },
      {
        httpGet: { path: '/a, b', port: 8080, scheme: 'HTTPS', httpHeaders: [{ name: 'Host', value: 'no: "x"' }] },
        timeoutSeconds: 7,
        terminationGracePeriodSeconds: 5,
      },
    ],
    [
      'exec',
      { exec: { command: ['sh', '-c', 'true && [ -f /x ]', 'no', '1'] } },
      { exec: { command: ['sh', '-c', 'true && [ -f /x ]', 'no', '1'] } },
    ],
    ['tcpSocket', { tcpSocket: { port: 'http' } }, { tcpSocket: { port: 'http' } }],
    ['grpc', { grpc: { port: 9000 } }, { grpc: { port: 9000 } }],
  ])('copies %s', (_name, probe, copied) => {
    const { message } = onlyFinding(ID, podWith({ livenessProbe: { ...probe, initialDelaySeconds: 31 } }));
    // 30 + 2*10 = 50 s
    expect(probeIn(message)).toEqual({ ...copied, periodSeconds: 5, failureThreshold: 11 });
  });
});
