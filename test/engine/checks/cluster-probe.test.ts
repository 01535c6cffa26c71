import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { CLUSTER_QUESTIONS } from '../../../src/engine/checks/lib/cluster-questions.ts';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'cluster-probe';
const asking = (path: string): JsonObject => podWith({ readinessProbe: httpProbe({}, path) });
const running = (...command: unknown[]): JsonObject => podWith({ livenessProbe: { exec: { command } } });

describe('cluster-probe', () => {
  it('says what one missing member does, and the question about this member', () => {
    expect(onlyFinding(ID, asking('/_cluster/health?wait_for_status=green'))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.httpGet.path',
      message:
        'the readinessProbe of container "app" asks for the state of the whole cluster (Elasticsearch or OpenSearch), ' +
        'so one missing member makes every member unready',
      remedy: 'ask this node only: tcpSocket on the same port, or path: /_cluster/health?local=true',
    });
    expect(onlyFinding(ID, running('rabbitmq-diagnostics', 'check_if_node_is_quorum_critical'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command',
      message:
        'the livenessProbe of container "app" asks for the state of the whole cluster (RabbitMQ), ' +
        'so one missing member restarts every member',
      remedy: 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms',
    });
  });

  it.each(cases('cluster-probe', 'finds the path') as [string, string][])(
    'finds the path %s, and says that %s fails it',
    (path, fails) =>
      expect(onlyFinding(ID, asking(path)).message).toMatch(new RegExp(`, so ${fails} makes every member unready$`)),
  );

  it.each(cases('cluster-probe', 'accepted paths') as string[])('accepts the path %s', (path) =>
    expect(findings(ID, asking(path))).toEqual([]),
  );

  it.each(cases('cluster-probe', 'finds the command') as [string[], string][])(
    'finds the command %j, and says that %s fails it',
    (command, fails) =>
      expect(onlyFinding(ID, running(...command)).message).toMatch(new RegExp(`, so ${fails} restarts every member$`)),
  );

  it.each(cases('cluster-probe', 'accepted commands') as [unknown[]][])(
    'accepts the command %j, which does not fail while a member is missing',
    (command) => expect(findings(ID, running(...command))).toEqual([]),
  );

  it('suggests nothing that the check itself reports', () => {
    for (const { local } of CLUSTER_QUESTIONS) expect(findings(ID, asking(local)), local).toEqual([]);
  });

  it('reads a limited part of a path or command of megabytes', () => {
    for (const part of ['/_cluster/health?', 'rabbitmqctl ', 'redis-cli etcdctl nodetool ', 'x'])
      expect(() => findings(ID, running('sh', '-c', part.repeat(100_000)))).not.toThrow();
    expect(findings(ID, asking(`${'x'.repeat(100_000)}/_cluster/health`))).toEqual([]);
  });

  it('leaves startup probes alone, which end after the start', () =>
    expect(findings(ID, podWith({ startupProbe: httpProbe({}, '/_cluster/health') }))).toEqual([]));
});
