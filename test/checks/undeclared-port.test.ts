import { describe, expect, it } from 'vitest';
import { runChecks } from '../../src/checks/run-checks.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../worlds.ts';
import { findings, onlyFinding, podWith, workloadOf } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'undeclared-port';
const http = (port: unknown): JsonObject => ({ livenessProbe: { httpGet: { port } } });

describe('undeclared-port', () => {
  it('names the ports that there are, and the declared port first', () => {
    expect(onlyFinding(ID, podWith(http(8081)))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.port',
      message: 'the livenessProbe asks port 8081, but container "app" declares only http (8080)',
      remedy: 'write port: 8080, or add containerPort: 8081 to its ports',
      level: 'Warn',
    });
  });

  it('says so where there is none', () => {
    expect(onlyFinding(ID, podWith({ ...http(8081), ports: [] }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.port',
      message: 'the livenessProbe asks port 8081, but container "app" declares no TCP port',
      remedy: 'add containerPort: 8081 to its ports',
    });
  });

  it('names no port where several may answer', () => {
    const ports = [{ containerPort: 8080 }, { name: 'admin', containerPort: 8081 }];
    expect(onlyFinding(ID, podWith({ ...http(9), ports })).remedy).toBe(
      'ask a port that the container declares, or add containerPort: 9 to its ports',
    );
  });

  const levels = (container: JsonObject): unknown[] => findings(ID, podWith(container)).map(({ level }) => level);
  const web = { ports: [{ containerPort: 80 }] };

  it('warns about liveness and readiness where other ports are declared, and not about startup', () => {
    const [livenessProbe, startupProbe] = [{ httpGet: { port: 1 } }, { httpGet: { port: 2 } }];
    expect(levels({ livenessProbe, readinessProbe: livenessProbe, startupProbe })).toEqual(['Warn', 'Warn', undefined]);
  });

  it('takes one port of all probes for a health port where port 80 or 443 is declared', () => {
    const probe = { httpGet: { port: 8081 } };
    expect(levels({ ...web, livenessProbe: probe, readinessProbe: probe })).toEqual([undefined, undefined]);
    expect(levels({ livenessProbe: probe, readinessProbe: probe })).toEqual(['Warn', 'Warn']);
    expect(levels({ ...web, livenessProbe: probe, readinessProbe: { httpGet: { port: 80 } } })).toEqual(['Warn']);
    expect(levels({ ...web, livenessProbe: probe, readinessProbe: { exec: { command: ['x'] } } })).toEqual([undefined]);
  });

  it('gives each finding its action, unless a policy sets one or a floor is stricter', () => {
    const container = appContainer({ livenessProbe: { httpGet: { port: 1 } }, startupProbe: { httpGet: { port: 1 } } });
    const actions = (...policies: JsonObject[]): unknown[] => {
      const policy = policySet(...policies).policyFor('apps', new Map());
      return runChecks(workloadOf(pod([container])), policy.checkPolicy)
        .filter(({ check }) => check === ID)
        .map(({ action }) => action);
    };
    const own = (setting: JsonObject): JsonObject => policyDocument({ checks: { [ID]: setting } });
    const cluster = (setting: JsonObject): JsonObject => clusterPolicyDocument({ checks: { [ID]: setting } });
    expect(actions()).toEqual(['Warn', 'Audit']);
    expect(actions(own({ action: 'Audit' }))).toEqual(['Audit', 'Audit']);
    expect(actions(own({ action: 'Deny' }))).toEqual(['Deny', 'Deny']);
    expect(actions(own({ action: 'Off' }))).toEqual([]);
    expect(actions(cluster({ floor: 'Audit' }))).toEqual(['Warn', 'Audit']);
    expect(actions(cluster({ floor: 'Warn' }))).toEqual(['Warn', 'Warn']);
    expect(actions(cluster({ floor: 'Deny' }), own({ action: 'Off' }))).toEqual(['Deny', 'Deny']);
  });

  it('carries no level in a violation', () => {
    const policy = policySet().policyFor('apps', new Map());
    const found = runChecks(workloadOf(podWith(http(1))), policy.checkPolicy).filter(({ check }) => check === ID);
    expect(found.map((violation) => 'level' in violation)).toEqual([false]);
  });

  it('looks at tcpSocket and grpc too', () => {
    expect(
      findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 1 } }, readinessProbe: { grpc: { port: 2 } } })),
    ).toHaveLength(2);
    expect(
      findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 8080 } }, readinessProbe: { grpc: { port: 8080 } } })),
    ).toEqual([]);
  });

  it('wants the port declared for TCP', () => {
    expect(findings(ID, podWith({ ...http(53), ports: [{ containerPort: 53, protocol: 'UDP' }] }))).toHaveLength(1);
    expect(findings(ID, podWith({ ...http(53), ports: [{ containerPort: 53 }] }))).toEqual([]);
  });

  it.each(['http', 'nope', 0, 65_536, null, true])('leaves port %j to other checks', (port) => {
    expect(findings(ID, podWith(http(port)))).toEqual([]);
  });

  it('does not judge a port of another host', () => {
    expect(findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 1, host: 'db' } } }))).toEqual([]);
  });
});
