import { describe, expect, it } from 'vitest';
import { CLUSTER_QUESTIONS, clusterQuestionIn } from '../../../../src/engine/checks/lib/cluster-questions.ts';

const asked = (text: string): string | undefined => {
  const found = clusterQuestionIn(text);
  return found && `${found.product}: ${found.fails}`;
};

describe('a question about a whole cluster', () => {
  it.each([
    ['/_cluster/health?wait_for_status=green', 'Elasticsearch or OpenSearch: one missing member'],
    ['/_cluster/health?local=true&wait_for_nodes=3', 'Elasticsearch or OpenSearch: one missing member'],
    ['curl localhost:9200/_cat/health | grep green', 'Elasticsearch or OpenSearch: one missing member'],
    ['/_cluster/health', 'Elasticsearch or OpenSearch: a missing master'],
    ['/_cluster/health?wait_for_status=yellow', 'Elasticsearch or OpenSearch: a missing master'],
    ['/_cluster/state', 'Elasticsearch or OpenSearch: a missing master'],
    ['rabbitmq-diagnostics check_if_node_is_quorum_critical', 'RabbitMQ: one missing member'],
    ['rabbitmqctl await_online_nodes 3', 'RabbitMQ: one missing member'],
    ['/api/health/checks/node-is-mirror-sync-critical', undefined],
    ['/api/health/checks/node-is-quorum-critical', 'RabbitMQ: one missing member'],
    ['rabbitmq-diagnostics check_alarms', 'RabbitMQ: an alarm on one member'],
    ['/api/health/checks/alarms', 'RabbitMQ: an alarm on one member'],
    ['/v1/operator/autopilot/health', 'Consul: one missing member'],
    ['etcdctl endpoint health --cluster', 'etcd: one missing member'],
    ['etcdctl endpoint  health', 'etcd: a lost quorum'],
    ['/health?serializable=false', 'etcd: a lost quorum'],
    ['redis-cli cluster info | grep cluster_state:ok', 'Redis Cluster: one missing master'],
    ['mysql -e "show status like \'wsrep_cluster_size\'"', 'Galera: one missing member'],
    ['/minio/health/cluster', 'MinIO: a lost quorum'],
    ['/hazelcast/health/cluster-safe', 'Hazelcast: one missing member'],
    ['rpk cluster health', 'Redpanda: one missing member'],
  ])('is in %s: %s', (text, question) => expect(asked(text)).toBe(question));

  it.each([
    ...['', '/health', '/_cluster/health?local=true', '/_cat/nodes', 'rabbitmq-diagnostics check_local_alarms'],
    ...[
      '/api/health/checks/local-alarms',
      '/v1/agent/self',
      'consul members',
      'endpoint health',
      'etcdctl endpoint status',
    ],
    ...['/health?serializable=true', 'grep cluster_state /x', 'wsrep_ready', '/minio/health/live', 'rpk cluster info'],
    ...['/hazelcast/health/node-state', 'nodetool status'],
  ])('is not in %j', (text) => expect(asked(text)).toBeUndefined());

  it.each(CLUSTER_QUESTIONS.map((question) => [question.product, question] as const))(
    'of %s has another one in place that is about one member',
    (_, { local }) => {
      const path = /path: (\S+)$/.exec(local)?.[1] ?? '';
      expect(local).toMatch(/^ask this (?:node|agent|member|server|broker) only: /);
      expect(asked(path)).toBeUndefined();
    },
  );
});
