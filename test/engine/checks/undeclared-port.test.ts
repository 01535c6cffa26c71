import { describe, expect, it } from 'vitest';
import { runChecks } from '../../../src/engine/checks/run-checks.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { findings, onlyFinding, podWith, workloadOf } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'undeclared-port';
const http = (port: unknown): JsonObject => ({ livenessProbe: { httpGet: { port } } });

describe('undeclared-port', () => {
  it('names the ports that there are, and first the declared port that is one typo away', () =>
    expect(onlyFinding(ID, podWith(http(8081)))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.port',
      message: 'the livenessProbe asks port 8081, but container "app" declares only http (8080)',
      remedy: 'write port: 8080, or add containerPort: 8081 to its ports',
      level: 'Warn',
    }));

  it('says so where there is none', () =>
    expect(onlyFinding(ID, podWith({ ...http(8081), ports: [] }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.port',
      message: 'the livenessProbe asks port 8081, but container "app" declares no TCP port',
      remedy: 'add containerPort: 8081 to its ports',
    }));

  it('names no port where two are one typo away', () => {
    const ports = [{ containerPort: 8080 }, { name: 'admin', containerPort: 8082 }];
    expect(onlyFinding(ID, podWith({ ...http(8081), ports }))).toMatchObject({
      remedy: 'add containerPort: 8081 to its ports',
      level: 'Warn',
    });
  });

  const levels = (container: JsonObject): unknown[] => findings(ID, podWith(container)).map(({ level }) => level);

  it.each(cases('undeclared-port', 'takes for the') as [string, number, string?][])(
    'takes %s for the typo that it is: %i',
    (_name, port, level) => {
      const found = findings(ID, podWith(http(port))).map((finding) => finding.level);
      expect(found).toEqual(port === 8080 ? [] : [level]);
    },
  );

  it('is a note where a command, an argument or a variable has the number', () => {
    expect(levels({ ...http(8081), args: ['--health-probe-bind-address=:8081'] })).toEqual([undefined]);
    expect(levels({ ...http(8081), command: ['serve', '8081'] })).toEqual([undefined]);
    expect(levels({ ...http(8081), env: [{ name: 'PORT', value: '8081' }] })).toEqual([undefined]);
    expect(levels({ ...http(8081), args: ['--port=18081', '80810', '80818081'] })).toEqual(['Warn']);
    expect(levels({ ...http(8081), args: [8081, null], env: [null, { name: 'PORT' }], command: 'x' })).toEqual([
      'Warn',
    ]);
  });

  it('is a note where another container of the Pod declares the number, or an exec probe asks it', () => {
    const livenessProbe = { httpGet: { path: '/live', port: 8081 } };
    const ports = [{ name: 'http', containerPort: 8080 }];
    const levelsOf = (containers: readonly JsonObject[]): unknown[] =>
      findings('undeclared-port', pod(containers)).map(({ level }) => level);
    const app = { name: 'app', ports, livenessProbe };
    expect(levelsOf([app, { name: 'other' }])).toEqual(['Warn']);
    expect(levelsOf([app, { name: 'other', ports: [{ containerPort: 8081 }] }])).toEqual([undefined]);
    const readinessProbe = { exec: { command: ['curl', '-f', 'http://localhost:8081/ready'] } };
    expect(levelsOf([{ ...app, readinessProbe }])).toEqual([undefined]);
  });

  it('is a note where the declared port speaks another protocol than the probe', () =>
    expect(levels({ ...http(8081), ports: [{ name: 'grpc', containerPort: 8080 }] })).toEqual([undefined]));

  it('never keeps another finding from copying the handler', () => {
    const policy = policySet().policyFor('apps', new Map());
    const livenessProbe = { httpGet: { path: '/live', port: 8081 }, initialDelaySeconds: 60 };
    const found = runChecks(workloadOf(podWith({ livenessProbe })), policy.checkPolicy);
    expect(found.map(({ check }) => check)).toEqual(['delayed-liveness', ID]);
    expect(found[0]?.remedy).toContain('write startupProbe: { httpGet: { path: /live, port: 8081 }');
    expect(found[0]?.edits).toHaveLength(2);
  });

  it('gives each finding its action, unless a policy sets one or a floor is stricter', () => {
    const container = appContainer({
      livenessProbe: { httpGet: { port: 8081 } },
      startupProbe: { httpGet: { port: 1 } },
    });
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

  it.each(['http', 'nope', 0, 65_536, null, true])('leaves port %j to other checks', (port) =>
    expect(findings(ID, podWith(http(port)))).toEqual([]),
  );

  it('does not judge a port of another host', () =>
    expect(findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 1, host: 'db' } } }))).toEqual([]));
});
