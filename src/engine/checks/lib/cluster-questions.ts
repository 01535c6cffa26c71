/** A question about a whole cluster of some product, in a path or in a command. */
interface ClusterQuestion {
  readonly product: string;
  /** The question, in an HTTP path with its query or in the text of a command. */
  readonly pattern: RegExp;
  /** Another part of the same text, such as the program of a command. */
  readonly beside?: RegExp;
  /** The same words with these in addition are no question about the cluster. */
  readonly unless?: RegExp;
  /** What fails the question on every member, as the product documents it. */
  readonly fails: string;
  /** The field and value to write instead. */
  readonly local: string;
}

const ONE_MISSING = 'one missing member';
const NO_QUORUM = 'a lost quorum';

/** The products, each with the question about one member that it documents. */
const ELASTICSEARCH = {
  product: 'Elasticsearch or OpenSearch',
  local: 'ask this node only: tcpSocket on the same port, or path: /_cluster/health?local=true',
};
const RABBITMQ = {
  product: 'RabbitMQ',
  local: 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms',
};
const CONSUL = { product: 'Consul', local: 'ask this agent only: path: /v1/agent/self, or consul info' };
const ETCD = {
  product: 'etcd',
  local: 'ask this member only: path: /health?serializable=true, or etcdctl endpoint status',
};
const REDIS = { product: 'Redis Cluster', local: 'ask this node only: redis-cli ping, compared with PONG' };
const GALERA = { product: 'Galera', local: 'ask this node only: mysqladmin ping, or tcpSocket on the same port' };
const MINIO = { product: 'MinIO', local: 'ask this server only: path: /minio/health/live' };
const HAZELCAST = { product: 'Hazelcast', local: 'ask this member only: path: /hazelcast/health/node-state' };
const REDPANDA = { product: 'Redpanda', local: 'ask this broker only: path: /v1/status/ready on the admin port' };

const ENDPOINT_HEALTH = /\bendpoint\s{1,9}health\b/;

/**
 * The questions, each with the document that says what fails it. A command that only lists members is no entry:
 * `nodetool status` and `consul members` end with 0 while a member is missing. Each pattern is linear in the text.
 */
export const CLUSTER_QUESTIONS: readonly ClusterQuestion[] = [
  {
    // Elasticsearch reference, "Cluster health API": yellow when a replica is missing; a wait that ends is a 408.
    ...ELASTICSEARCH,
    pattern: /\/_cluster\/health|\/_cat\/health/,
    beside: /\bwait_for_(?:status=green|nodes|active_shards|no_)|\bgreen\b/,
    fails: ONE_MISSING,
  },
  {
    // The same page, "local" and "master_timeout": the request goes to the master node, and fails without one.
    ...ELASTICSEARCH,
    pattern: /\/_cluster\/(?:health|state)|\/_cat\/health/,
    unless: /\blocal=true\b/,
    fails: 'a missing master',
  },
  {
    // RabbitMQ, "HTTP API reference": 503 if the node is the last that keeps a queue's quorum or mirror. The manual of
    // rabbitmqctl, await_online_nodes: waits for a number of nodes, and fails when the time is over.
    ...RABBITMQ,
    pattern:
      /\b(?:check_if_node_is_\w{1,40}_critical|await_online_nodes)\b|\/api\/health\/checks\/node-is-\w{1,40}-critical/,
    fails: ONE_MISSING,
  },
  // RabbitMQ, "HTTP API reference": 503 if an alarm is in effect anywhere in the cluster.
  { ...RABBITMQ, pattern: /\bcheck_alarms\b|\/api\/health\/checks\/alarms\b/, fails: 'an alarm on one member' },
  // Consul, "Operator HTTP API", autopilot health: 429 unless all servers are healthy.
  { ...CONSUL, pattern: /\/v1\/operator\/autopilot\/health\b/, fails: ONE_MISSING },
  // etcd, etcdctl/README.md, "ENDPOINT HEALTH": with --cluster it asks every member, and one that fails is an error.
  { ...ETCD, pattern: ENDPOINT_HEALTH, beside: /--cluster\b/, fails: ONE_MISSING },
  // The same page: a member is healthy if it commits a proposal, which needs a quorum (gardener/etcd-druid#280).
  { ...ETCD, pattern: ENDPOINT_HEALTH, beside: /\betcdctl\b/, fails: NO_QUORUM },
  // etcd, "Monitoring etcd", health check: a linearizable read, which needs a quorum.
  { ...ETCD, pattern: /\/health\?serializable=false/, fails: NO_QUORUM },
  // Redis, "CLUSTER INFO": cluster_state is "fail" when a slot has no reachable master.
  { ...REDIS, pattern: /\bcluster_state\b/, beside: /\bredis-cli\b/, fails: 'one missing master' },
  // Galera documentation, "Checking cluster integrity": the number of nodes in the cluster, to be compared.
  { ...GALERA, pattern: /\bwsrep_cluster_size\b/, fails: ONE_MISSING },
  // MinIO, "Healthcheck API": 503 on every server while the cluster has no write quorum.
  { ...MINIO, pattern: /\/minio\/health\/cluster\b/, fails: NO_QUORUM },
  // Hazelcast reference, "Health check and monitoring": cluster-safe is 503 while a backup is missing.
  { ...HAZELCAST, pattern: /\/hazelcast\/health\/cluster-safe\b/, fails: ONE_MISSING },
  // Redpanda reference, "rpk cluster health": healthy only if all brokers are up (redpanda-operator#382).
  { ...REDPANDA, pattern: /\brpk\s{1,9}cluster\s{1,9}health\b/, fails: ONE_MISSING },
];

/** Returns the question that a path or a command asks. */
export function clusterQuestionIn(asked: string): ClusterQuestion | undefined {
  return CLUSTER_QUESTIONS.find(
    ({ pattern, beside, unless }) =>
      pattern.test(asked) && beside?.test(asked) !== false && unless?.test(asked) !== true,
  );
}
