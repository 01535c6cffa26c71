import { describe, expect, it } from 'vitest';
import { CLUSTER_QUESTIONS } from '../../src/checks/cluster-questions.ts';
import { findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

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
    expect(onlyFinding(ID, running('rabbitmqctl', 'cluster_status'))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.exec.command',
      message:
        'the livenessProbe of container "app" asks for the state of the whole cluster (RabbitMQ), ' +
        'so one missing member restarts every member',
      remedy: 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms',
    });
  });

  it.each([
    '/_cat/health',
    '/_cluster/health?local=true&wait_for_nodes=3',
    '/api/health/checks/alarms',
    '/api/aliveness-test/%2F',
    '/_status/nodes',
    '/v1/status/leader',
    '/v1/sys/ha-status',
    '/health?serializable=false',
    '/minio/health/cluster/read',
    '/hazelcast/health/cluster-safe',
    '/_membership',
    '/solr/admin/collections?action=CLUSTERSTATUS',
    '/api/cluster_formed',
    '/cluster/status',
  ])('finds the path %s', (path) => {
    expect(findings(ID, asking(path))).toHaveLength(1);
  });

  it.each([
    '/_cluster/health?local=true',
    '/_up',
    '/api/health/checks/local-alarms',
    '/health?ready=1',
    '/health?serializable=true',
    '/v1/agent/self',
    '/v1/sys/health?standbyok=true',
    '/minio/health/live',
    '/hazelcast/health/node-state',
    '/healthz',
    '/clusters',
  ])('accepts the path %s', (path) => {
    expect(findings(ID, asking(path))).toEqual([]);
  });

  it.each([
    [['bash', '-c', 'curl -sf "http://localhost:9200/_cluster/health?wait_for_status=yellow"']],
    [['sh', '-c', 'nodetool status | grep -q UN']],
    [['cockroach', 'node', 'status']],
    [['consul', 'members']],
    [['etcdctl', '--endpoints=https://127.0.0.1:2379', 'endpoint', 'health']],
    [['vault', 'operator', 'raft', 'list-peers']],
    [['mongosh', '--eval', 'rs.status().ok']],
    [['sh', '-c', 'redis-cli -a "$P" cluster info | grep cluster_state:ok']],
    [['sh', '-c', 'mysql -e "show status like \'wsrep_cluster_size\'"']],
    [['patronictl', '-c', '/etc/p.yml', 'list']],
  ])('finds the command %j', (command) => {
    expect(findings(ID, running(...command))).toHaveLength(1);
  });

  it.each([
    [['rabbitmq-diagnostics', '-q', 'ping']],
    [['rabbitmqctl', 'status']],
    [['sh', '-c', 'nodetool status | grep "UN *$POD_IP"']],
    [['nodetool', 'statusbinary']],
    [['etcdctl', 'endpoint', 'status']],
    [['mongosh', '--eval', "db.adminCommand('ping')"]],
    [['redis-cli', 'ping']],
    [['vault', 'status']],
    [['cat', '/tmp/healthy']],
    [[7, null]],
  ])('accepts the command %j', (command) => {
    expect(findings(ID, running(...command))).toEqual([]);
  });

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
