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

  it.each([
    ['/_cluster/health', 'a missing master'],
    ['/_cat/health', 'a missing master'],
    ['/_cluster/health?wait_for_status=yellow', 'a missing master'],
    ['/_cluster/health?local=true&wait_for_nodes=3', 'one missing member'],
    ['/api/health/checks/alarms', 'an alarm on one member'],
    ['/api/health/checks/node-is-quorum-critical', 'one missing member'],
    ['/v1/operator/autopilot/health', 'one missing member'],
    ['/health?serializable=false', 'a lost quorum'],
    ['/minio/health/cluster/read', 'a lost quorum'],
    ['/hazelcast/health/cluster-safe', 'one missing member'],
  ])('finds the path %s, and says that %s fails it', (path, fails) => {
    expect(onlyFinding(ID, asking(path)).message).toMatch(new RegExp(`, so ${fails} makes every member unready$`));
  });

  it.each(cases('cluster-probe', 'accepted paths') as string[])('accepts the path %s', (path) => {
    expect(findings(ID, asking(path))).toEqual([]);
  });

  it.each([
    [['bash', '-c', 'curl -sf "http://localhost:9200/_cluster/health?wait_for_status=green"'], 'one missing member'],
    [['sh', '-c', 'curl -s localhost:9200/_cluster/health | grep -q green'], 'one missing member'],
    [['rabbitmqctl', 'await_online_nodes', '3'], 'one missing member'],
    [['etcdctl', '--endpoints=https://127.0.0.1:2379', 'endpoint', 'health'], 'a lost quorum'],
    [['etcdctl', 'endpoint', 'health', '--cluster'], 'one missing member'],
    [['sh', '-c', 'redis-cli -a "$P" cluster info | grep cluster_state:ok'], 'one missing master'],
    [['sh', '-c', 'mysql -e "show status like \'wsrep_cluster_size\'"'], 'one missing member'],
    [['sh', '-c', "rpk cluster health | grep 'Healthy:.*true'"], 'one missing member'],
  ])('finds the command %j, and says that %s fails it', (command, fails) => {
    expect(onlyFinding(ID, running(...command)).message).toMatch(new RegExp(`, so ${fails} restarts every member$`));
  });

  it.each(cases('cluster-probe', 'accepted commands') as [unknown[]][])(
    'accepts the command %j, which does not fail while a member is missing',
    (command) => {
      expect(findings(ID, running(...command))).toEqual([]);
    },
  );

  it('suggests nothing that the check itself reports', () => {
    for (const { local } of CLUSTER_QUESTIONS) expect(findings(ID, asking(local)), local).toEqual([]);
  });

  it('reads a limited part of a path or command of megabytes', () => {
    for (const part of ['/_cluster/health?', 'rabbitmqctl ', 'redis-cli etcdctl nodetool ', 'x'])
      expect(() => findings(ID, running('sh', '-c', part.repeat(100_000)))).not.toThrow();
    expect(findings(ID, asking(`${'x'.repeat(100_000)}/_cluster/health`))).toEqual([]);
  });

  it('leaves startup probes alone, which end after the start', () => {
    expect(findings(ID, podWith({ startupProbe: httpProbe({}, '/_cluster/health') }))).toEqual([]);
  });
});
