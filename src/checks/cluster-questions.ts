/** A question about a whole cluster of some product, in a path or in a command. */
export interface ClusterQuestion {
  readonly product: string;
  /** The question, in an HTTP path with its query or in the text of a command. */
  readonly pattern: RegExp;
  /** The program that must be part of the command. */
  readonly program?: RegExp;
  /** The same words with these in addition are no question about the cluster. */
  readonly unless?: RegExp;
  /** The field and value to write instead. */
  readonly local: string;
}

/** A command may ask for the whole list and keep only its own row. */
const OWN_ROW = /POD_IP|HOST_IP|POD_NAME|HOSTNAME|\bhostname\b/;

/**
 * The questions, with a question about one member where the product documents one. Sources: the products' own
 * references of their HTTP APIs and command-line tools. Each pattern is linear in the text: it
 * has no unlimited repetition.
 */
export const CLUSTER_QUESTIONS: readonly ClusterQuestion[] = [
  {
    product: 'Elasticsearch or OpenSearch',
    pattern: /\/_cluster\/(?:health|state|stats)|\/_cat\/(?:health|nodes|master|cluster_manager)/,
    unless: /^(?![^]*wait_for_)[^]*\blocal=true/,
    local: 'ask this node only: tcpSocket on the same port, or path: /_cluster/health?local=true',
  },
  {
    product: 'RabbitMQ',
    pattern:
      /\b(?:cluster_status|check_alarms|check_if_node_is_\w{1,40}_critical|await_online_nodes)\b|\/api\/health\/checks\/(?:alarms|node-is-\w{1,40}-critical)|\/api\/(?:aliveness-test|cluster-name|nodes)(?:$|[/?"'\s])/,
    local: 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms',
  },
  {
    product: 'CockroachDB',
    pattern: /\bcockroach\s{1,9}node\s{1,9}(?:status|ls)\b|\/_status\/(?:nodes|cluster)/,
    local: 'ask this node only: path: /health for liveness, path: /health?ready=1 for readiness',
  },
  {
    product: 'Cassandra',
    program: /\bnodetool\b/,
    pattern: /\b(?:status|ring|describecluster)\b/,
    unless: OWN_ROW,
    local: 'ask this node only: tcpSocket on the CQL port, or nodetool statusbinary',
  },
  {
    product: 'Consul',
    pattern:
      /\/v1\/(?:status\/(?:leader|peers)|health\/state\/|catalog\/nodes|operator\/)|\bconsul\s{1,9}(?:members|operator\s{1,9}raft)\b/,
    unless: OWN_ROW,
    local: 'ask this agent only: path: /v1/agent/self, or consul info',
  },
  {
    product: 'etcd',
    program: /\betcdctl\b/,
    pattern: /\b(?:cluster-health|member\s{1,9}list|endpoint\s{1,9}health)\b|--cluster\b/,
    local: 'ask this member only: path: /health?serializable=true, or etcdctl endpoint status',
  },
  {
    product: 'etcd',
    pattern: /\/health\?serializable=false/,
    local: 'ask this member only: path: /health?serializable=true, or etcdctl endpoint status',
  },
  {
    product: 'Vault',
    pattern: /\/v1\/sys\/(?:ha-status|leader|storage\/raft\/)|\bvault\s{1,9}operator\s{1,9}(?:raft|members)\b/,
    local: 'ask this server only: path: /v1/sys/health?standbyok=true, or vault status',
  },
  {
    product: 'MongoDB',
    pattern: /\brs\.(?:status|conf|config)\s*\(|\bsh\.status\s*\(|\breplSetGetStatus\b/,
    local: 'ask this member only: mongosh --eval "db.adminCommand(\'ping\')"',
  },
  {
    product: 'Redis Cluster',
    program: /\bredis-cli\b/,
    pattern: /\bcluster\s{1,9}(?:info|nodes|slots|shards|check)\b/i,
    local: 'ask this node only: redis-cli ping, compared with PONG',
  },
  {
    product: 'Galera',
    pattern: /\bwsrep_cluster_(?:size|status)\b/,
    local: 'ask this node only: mysqladmin ping, or tcpSocket on the same port',
  },
  {
    product: 'MinIO',
    pattern: /\/minio\/health\/cluster\b/,
    local: 'ask this server only: path: /minio/health/live',
  },
  {
    product: 'Patroni',
    program: /\bpatronictl\b/,
    pattern: /\b(?:list|topology)\b/,
    local: 'ask this member only: path: /liveness or path: /readiness of Patroni',
  },
  {
    product: 'Hazelcast',
    pattern: /\/hazelcast\/health\/cluster-(?:state|safe|size)\b/,
    local: 'ask this member only: path: /hazelcast/health/node-state',
  },
  {
    product: 'CouchDB',
    pattern: /\/_membership\b/,
    local: 'ask this node only: path: /_up',
  },
  {
    product: 'Solr',
    pattern: /\baction=CLUSTERSTATUS\b/i,
    local: 'ask this node only: path: /solr/admin/info/system',
  },
  {
    product: 'the cluster',
    pattern:
      /\bcluster[-_/](?:health|status|state|formed|size|members)(?:$|[^A-Za-z0-9])|\bcluster\s{1,9}(?:health|status)\b/i,
    unless: OWN_ROW,
    local: 'ask an endpoint that reports on this container only',
  },
];

/** All questions in one pattern. Most probes ask none of them. One test is faster than one for each product. */
const ANY_QUESTION = new RegExp(CLUSTER_QUESTIONS.map(({ pattern }) => pattern.source).join('|'), 'i');

/** Returns the question that a path or a command asks. */
export function clusterQuestionIn(asked: string): ClusterQuestion | undefined {
  if (!ANY_QUESTION.test(asked)) return undefined;
  return CLUSTER_QUESTIONS.find(
    ({ pattern, program, unless }) =>
      pattern.test(asked) && program?.test(asked) !== false && unless?.test(asked) !== true,
  );
}
