/** A question about a whole cluster of some product, in a path or in a command. */
export interface ClusterQuestion {
  readonly product: string;
  /** The question, in an HTTP path with its query or in the text of a command. */
  readonly pattern: RegExp;
  /** The same words with these in addition are no question about the cluster. */
  readonly unless?: RegExp;
  /** What to write instead. */
  readonly local: string;
}

/** A command may ask for the whole list and keep only its own row. */
const OWN_ROW = /POD_IP|HOST_IP|POD_NAME|HOSTNAME|\bhostname\b/;

/**
 * The questions, with a question about one member where the product documents one. Sources: the products' own
 * references of their HTTP APIs and command-line tools. All patterns are linear: a gap between two words is limited.
 */
export const CLUSTER_QUESTIONS: readonly ClusterQuestion[] = [
  {
    product: 'Elasticsearch or OpenSearch',
    pattern: /\/_cluster\/(?:health|state|stats)|\/_cat\/(?:health|nodes|master|cluster_manager)/,
    unless: /\/_cluster\/health\?(?!.{0,200}wait_for_).{0,200}local=true/,
    local: 'ask this node only: tcpSocket on the same port, or path: /_cluster/health?local=true',
  },
  {
    product: 'RabbitMQ',
    pattern:
      /\brabbitmq(?:ctl|-diagnostics)\b[^;&|]{0,200}\b(?:cluster_status|check_alarms|check_if_node_is_quorum_critical|check_if_node_is_mirror_sync_critical|await_online_nodes|list_queues)\b|\/api\/health\/checks\/(?:alarms|node-is-quorum-critical|node-is-mirror-sync-critical)|\/api\/(?:aliveness-test|cluster-name|nodes)(?:$|[/?"'\s])/,
    local: 'ask this node only: rabbitmq-diagnostics -q ping, or path: /api/health/checks/local-alarms',
  },
  {
    product: 'CockroachDB',
    pattern: /\bcockroach\s+node\s+(?:status|ls)\b|\/_status\/(?:nodes|cluster)/,
    local: 'ask this node only: path: /health for liveness, path: /health?ready=1 for readiness',
  },
  {
    product: 'Cassandra',
    pattern: /\bnodetool\b[^;&|]{0,200}\b(?:status|ring|describecluster)\b/,
    unless: OWN_ROW,
    local: 'ask this node only: tcpSocket on the CQL port, or nodetool statusbinary',
  },
  {
    product: 'Consul',
    pattern:
      /\/v1\/(?:status\/(?:leader|peers)|health\/state\/|catalog\/nodes|operator\/)|\bconsul\s+(?:members|operator\s+raft)\b/,
    unless: OWN_ROW,
    local: 'ask this agent only: path: /v1/agent/self, or consul info',
  },
  {
    product: 'etcd',
    pattern:
      /\betcdctl\b[^;&|]{0,300}\b(?:cluster-health|member\s+list|endpoint\s+health|endpoint\s+status\b[^;&|]{0,200}--cluster)\b|\/health\?serializable=false/,
    local: 'ask this member only: path: /health?serializable=true, or etcdctl endpoint status',
  },
  {
    product: 'Vault',
    pattern: /\/v1\/sys\/(?:ha-status|leader|storage\/raft\/)|\bvault\s+operator\s+(?:raft|members)\b/,
    local: 'ask this server only: path: /v1/sys/health?standbyok=true, or vault status',
  },
  {
    product: 'MongoDB',
    pattern: /\brs\.(?:status|conf|config)\s*\(|\bsh\.status\s*\(|\breplSetGetStatus\b/,
    local: 'ask this member only: mongosh --eval "db.adminCommand(\'ping\')"',
  },
  {
    product: 'Redis Cluster',
    pattern:
      /\bredis-cli\b[^;&|]{0,300}(?:\bcluster\s+(?:info|nodes|slots|shards)\b|--cluster\s+(?:check|info)\b)|\bcluster_state:ok\b/i,
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
    pattern: /\bpatronictl\b[^;&|]{0,200}\b(?:list|topology)\b/,
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
    pattern: /\bcluster[-_/](?:health|status|state|formed|size|members)\b|\bcluster\s+(?:health|status)\b/i,
    unless: OWN_ROW,
    local: 'ask an endpoint that reports on this container only',
  },
];
