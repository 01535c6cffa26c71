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

const ASK_ELASTICSEARCH = 'ask this node only: tcpSocket on the same port, or path: /_cluster/health?local=true';
const ASK_RABBITMQ = 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms';
const ASK_ETCD = 'ask this member only: path: /health?serializable=true, or etcdctl endpoint status';

/**
 * The questions, with a question about one member where the product documents one. Each entry names the document that
 * says what fails the question. A command that only lists members is no entry: `nodetool status`, `consul members`,
 * `rabbitmqctl cluster_status` and `patronictl list` end with 0 while a member is missing. Each pattern is linear in
 * the text: it has no unlimited repetition.
 */
export const CLUSTER_QUESTIONS: readonly ClusterQuestion[] = [
  {
    // Elasticsearch reference, "Cluster health API": yellow when a replica is missing; a wait that ends is a 408.
    product: 'Elasticsearch or OpenSearch',
    pattern: /\/_cluster\/health|\/_cat\/health/,
    beside: /\bwait_for_(?:status=green|nodes|active_shards|no_)|\bgreen\b/,
    fails: ONE_MISSING,
    local: ASK_ELASTICSEARCH,
  },
  {
    // The same page, "local" and "master_timeout": the request goes to the master node, and fails without one.
    product: 'Elasticsearch or OpenSearch',
    pattern: /\/_cluster\/(?:health|state)|\/_cat\/health/,
    unless: /\blocal=true\b/,
    fails: 'a missing master',
    local: ASK_ELASTICSEARCH,
  },
  {
    // RabbitMQ, "HTTP API reference": 503 if the node is the last that keeps a queue's quorum or mirror. The manual of
    // rabbitmqctl, await_online_nodes: waits for a number of nodes, and fails when the time is over.
    product: 'RabbitMQ',
    pattern:
      /\b(?:check_if_node_is_\w{1,40}_critical|await_online_nodes)\b|\/api\/health\/checks\/node-is-\w{1,40}-critical/,
    fails: ONE_MISSING,
    local: ASK_RABBITMQ,
  },
  {
    // RabbitMQ, "HTTP API reference": 503 if an alarm is in effect anywhere in the cluster.
    product: 'RabbitMQ',
    pattern: /\bcheck_alarms\b|\/api\/health\/checks\/alarms\b/,
    fails: 'an alarm on one member',
    local: ASK_RABBITMQ,
  },
  {
    // Consul, "Operator HTTP API", autopilot health: 429 unless all servers are healthy.
    product: 'Consul',
    pattern: /\/v1\/operator\/autopilot\/health\b/,
    fails: ONE_MISSING,
    local: 'ask this agent only: path: /v1/agent/self, or consul info',
  },
  {
    // etcd, etcdctl/README.md, "ENDPOINT HEALTH": with --cluster it asks every member, and one that fails is an error.
    product: 'etcd',
    pattern: /\bendpoint\s{1,9}health\b/,
    beside: /--cluster\b/,
    fails: ONE_MISSING,
    local: ASK_ETCD,
  },
  {
    // The same page: a member is healthy if it commits a proposal, which needs a quorum (gardener/etcd-druid#280).
    product: 'etcd',
    pattern: /\bendpoint\s{1,9}health\b/,
    beside: /\betcdctl\b/,
    fails: NO_QUORUM,
    local: ASK_ETCD,
  },
  {
    // etcd, "Monitoring etcd", health check: a linearizable read, which needs a quorum.
    product: 'etcd',
    pattern: /\/health\?serializable=false/,
    fails: NO_QUORUM,
    local: ASK_ETCD,
  },
  {
    // Redis, "CLUSTER INFO": cluster_state is "fail" when a slot has no reachable master.
    product: 'Redis Cluster',
    pattern: /\bcluster_state\b/,
    beside: /\bredis-cli\b/,
    fails: 'one missing master',
    local: 'ask this node only: redis-cli ping, compared with PONG',
  },
  {
    // Galera documentation, "Checking cluster integrity": the number of nodes in the cluster, to be compared.
    product: 'Galera',
    pattern: /\bwsrep_cluster_size\b/,
    fails: ONE_MISSING,
    local: 'ask this node only: mysqladmin ping, or tcpSocket on the same port',
  },
  {
    // MinIO, "Healthcheck API": 503 on every server while the cluster has no write quorum.
    product: 'MinIO',
    pattern: /\/minio\/health\/cluster\b/,
    fails: NO_QUORUM,
    local: 'ask this server only: path: /minio/health/live',
  },
  {
    // Hazelcast reference, "Health check and monitoring": cluster-safe is 503 while a backup is missing.
    product: 'Hazelcast',
    pattern: /\/hazelcast\/health\/cluster-safe\b/,
    fails: ONE_MISSING,
    local: 'ask this member only: path: /hazelcast/health/node-state',
  },
  {
    // Redpanda reference, "rpk cluster health": healthy only if all brokers are up (redpanda-operator#382).
    product: 'Redpanda',
    pattern: /\brpk\s{1,9}cluster\s{1,9}health\b/,
    fails: ONE_MISSING,
    local: 'ask this broker only: path: /v1/status/ready on the admin port',
  },
];

/** Returns the question that a path or a command asks. */
export function clusterQuestionIn(asked: string): ClusterQuestion | undefined {
  return CLUSTER_QUESTIONS.find(
    ({ pattern, beside, unless }) =>
      pattern.test(asked) && beside?.test(asked) !== false && unless?.test(asked) !== true,
  );
}
