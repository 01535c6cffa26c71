/**
 * What words and well-known numbers of ports mean. A name is `<protocol>[-suffix]` or `<purpose>-<protocol>`, by the
 * convention of Kubernetes and Istio; numbers are IANA's, and defaults that the products' documentation names.
 */

/**
 * How a meaning bears on HTTP. `product`: a server of its own (a broker, a database) that never answers HTTP. `beside`:
 * never answers HTTP, and applications have it beside HTTP. `seldom`: a purpose that few HTTP servers have. `metrics`:
 * HTTP without health. `webhook`: nothing to ask. `https`, `http`: the word decides alone. `web`: a word of HTTP
 * servers. `app`: a word of applications, which decides only where nothing else stands beside it.
 */
export type PortMeaningKind =
  'product' | 'beside' | 'seldom' | 'metrics' | 'webhook' | 'https' | 'http' | 'web' | 'app';

export const PLAIN_TCP = 'plain TCP';

/** What a word or a number means, and the protocol or purpose for people. */
export interface Meaning {
  readonly kind: PortMeaningKind;
  readonly protocol: string;
}

/** Kind; protocol; words; numbers; words that name the product as a container or an image alone. */
const TABLE = `
product | ActiveMQ | openwire | 61616 | activemq artemis
product | AMQP | amqp amqps | 5671 5672 | rabbitmq
product | Beats | beats | 5044 |
product | Bolt | bolt | 7687 | neo4j memgraph
product | BGP | bgp | 179 |
product | CQL | cql | 9042 | cassandra scylla scylladb
product | Dask | | 8786 |
product | DNS | dns | 53 | coredns unbound bind9 pihole
product | etcd | | | etcd
product | Fluentd | fluentd fluent | 24224 |
product | FTP | ftp sftp tftp | 21 | vsftpd
product | IMAP | imap imaps | 143 993 | dovecot
product | Kafka | kafka | 9092 | redpanda
product | LDAP | ldap ldaps | 389 636 | openldap slapd
product | MariaDB | mariadb | |
product | memcached | memcache memcached | 11211 |
product | Minecraft | minecraft | 25565 |
product | MongoDB | mongo mongodb | 27017 | mongod
product | MQTT | mqtt mqtts | 1883 8883 | mosquitto emqx
product | MySQL | mysql | 3306 | mysqld percona proxysql xtradb
product | NATS | nats | 4222 |
product | NFS | nfs | 2049 |
product | NTP | ntp | 123 |
product | OpenVPN | openvpn | 1194 |
product | Oracle | oracle | 1521 |
product | POP3 | pop3 pop3s | 110 995 |
product | PostgreSQL | pgbouncer pgsql postgres postgresql psql | 5432 6432 26257 | timescaledb pgvector pgpool postgis cockroach cockroachdb
product | Pulsar | pulsar pulsarssl | 6650 6651 |
product | RCON | rcon | 25575 |
product | RDP | rdp | 3389 | xrdp
product | Redis | redis | 6379 26379 | valkey keydb dragonfly
product | rsync | rsync | 873 |
product | RTMP | rtmp | 1935 |
product | RTSP | rtsp | 554 8554 |
product | SIP | sip sips | 5060 5061 | asterisk freeswitch kamailio
product | SMB | cifs microsoft netbios samba smb | 139 445 |
product | SMTP | smtp smtps | 25 465 587 | postfix exim
product | SNMP | snmp | 161 162 |
product | SOCKS | socks socks5 | |
product | SQL Server | mssql | 1433 |
product | SSH | ssh | 22 | sshd openssh
product | STOMP | stomp | 61613 |
product | syslog | syslog | 514 6514 |
product | telnet | telnet | 23 |
product | VNC | rfb vnc | 5900 5901 5902 |
product | WireGuard | wireguard | 51820 |
product | XMPP | xmpp | 5222 5269 |
product | ZooKeeper | zk zookeeper | 2181 |
beside | a debugger | delve jdwp | 40000 |
beside | FastCGI | fastcgi fcgi fpm | |
beside | gRPC | grpc grpcs | 4317 7233 10901 14250 26500 50051 50052 |
beside | StatsD | statsd | 8125 |
beside | Thrift | thrift | |
seldom | a debugger | debug debugger | 9229 |
seldom | cluster members | cluster memberlist | |
seldom | gossip | gossip | |
seldom | HTTP/2 | h2 h2c http2 | |
seldom | HTTP/3 | h3 http3 quic | |
seldom | JMX | jmx | |
seldom | OTLP | otlp otlphttp otel | 4318 |
seldom | peers | peer peers | |
seldom | plain TCP | tcp | |
seldom | Raft | raft | |
seldom | SCTP | sctp | |
seldom | Serf | serf | |
seldom | TLS | tls | |
seldom | traces | jaeger zipkin | 9411 14268 |
seldom | UDP | udp | |
metrics | metrics | exporter metrics prom prometheus | |
metrics | profiles | pprof profiling | |
webhook | a webhook | webhook webhooks | 9443 |
https | HTTPS | https wss | 443 8443 |
http | HTTP | http ws | |
web | HTTP | api admin console dashboard gui health healthcheck healthz live liveness livez manage management mgmt monitor monitoring probe probes ready readiness readyz rest status ui web www | 3100 5601 8086 8200 8500 9200 15672 |
app | HTTP | actuator angular apache app application backend boot caddy check container default django endpoint entry entrypoint express external fastapi flask frontend gateway gql graphql gunicorn gw http1 httpd internal jetty listen local main microservice my nextjs nginx node nodejs page pages php play portal private public puma rails react serve server service serving site spring srv svc tomcat user uvicorn vue webapp website websocket wildfly | |
`;

const ROWS = TABLE.trim()
  .split('\n')
  .map((row) => {
    const [kind = '', protocol = '', words = '', numbers = '', owners = ''] = row.split('|').map((cell) => cell.trim());
    const of = (cell: string): readonly string[] => cell.split(' ').filter((word) => word !== '');
    return {
      meaning: { kind: kind as PortMeaningKind, protocol },
      words: of(words),
      numbers: of(numbers),
      owners: of(owners),
    };
  });

const meaningsBy = (keysOf: (row: (typeof ROWS)[number]) => readonly string[]): ReadonlyMap<string, Meaning> =>
  new Map(ROWS.flatMap((row) => keysOf(row).map((key) => [key, row.meaning] as const)));

const OF_WORD = meaningsBy(({ words }) => words);
const OF_NUMBER = meaningsBy(({ numbers }) => numbers);
export const OF_OWNER = meaningsBy(({ meaning, words, owners }) =>
  meaning.kind === 'product' ? [...words, ...owners] : [],
);

/** The words and the numbers of some kinds, in order: docs/defaulting.md lists them. */
export function wordsOfKinds(...kinds: readonly PortMeaningKind[]): {
  readonly words: string[];
  readonly numbers: string[];
} {
  const rows = ROWS.filter(({ meaning }) => kinds.includes(meaning.kind));
  return {
    words: rows.flatMap(({ words }) => words).sort(),
    numbers: rows.flatMap(({ numbers }) => numbers).sort((a, b) => Number(a) - Number(b)),
  };
}

/** True for a word of ports and products, as it stands in the table. */
export const isPortWord = (word: string): boolean =>
  OF_WORD.has(word) || OF_OWNER.has(word) || OF_PACKAGING.has(word) || CLIENT_WORDS.has(word);

/** Words that say nothing: `http-port`, `p8080`, `8080`, `api-v1`. */
export const SAYS_NOTHING: ReadonlySet<string> = new Set(['', 'alt', 'p', 'port', 'ports', 'v']);

/** The API server takes names of 15 characters, and an `appProtocol` of 63 behind its prefix. */
const LONGEST_TEXT = 320;
const LONGEST_WORD = 15;

/** The words of a name, or of an `appProtocol` such as `kubernetes.io/h2c`. A text that is too long has none. */
export function wordsOf(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return [];
  return text
    .slice(text.lastIndexOf('/') + 1)
    .toLowerCase()
    .split(/[-_.]/);
}

/** What a word means: as it is written, or before its digits, as in `web1`. */
function meaningOf(word: string): Meaning | undefined {
  return OF_WORD.get(word) ?? OF_WORD.get(withoutDigits(word));
}

const NINE = 0x39;
const withoutDigits = (word: string): string =>
  word.charCodeAt(word.length - 1) <= NINE ? word.replace(/(?<!\d)\d+$/, '') : word;

/** True for a word that an HTTP server may have in its name, also for two in one: `webui`, `apiserver`. */
function isOfHttp(word: string): boolean {
  if (isPlainOfHttp(word)) return true;
  if (word.length > LONGEST_WORD) return false;
  return Array.from(word).some((_, at) => isPlainOfHttp(word.slice(0, at)) && isPlainOfHttp(word.slice(at)));
}

const OF_HTTP: ReadonlySet<string | undefined> = new Set(['https', 'http', 'web', 'app']);
const isPlainOfHttp = (word: string): boolean => saysNothing(word) || OF_HTTP.has(meaningOf(word)?.kind);
const saysNothing = (word: string): boolean => SAYS_NOTHING.has(withoutDigits(word));

/** True for a name without a meaning, such as `port` and `p8080`: the port is like one without a name. */
export function isNoName(name: string | undefined): boolean {
  return name === undefined || wordsOf(name).every(saysNothing);
}

/** True when the words say HTTPS: `https-admin`, `metrics-https`, `tls-http`. `https-redirect` takes plain HTTP. */
export function saysHttps(words: readonly string[]): boolean {
  if (words.includes('redirect')) return false;
  return words.some((word) => meaningOf(word)?.kind === 'https') || (words.includes('tls') && words.includes('http'));
}

/**
 * What a name or an `appProtocol` means. In doubt the answer is the one that asks no HTTP: `grpc-web`, `redis-http` and
 * `tcp-http` are other protocols, `https-metrics` is for metrics, and `q-api` means nothing.
 */
export function meaningOfText(text: string): Meaning | undefined {
  // Most names are one word of the table.
  return OF_WORD.get(text) ?? meaningOfWords(wordsOf(text));
}

/** What words of a name mean together. */
export function meaningOfWords(words: readonly string[]): Meaning | undefined {
  const isHttps = saysHttps(words);
  const found = words.flatMap((word) => (isHttps && word === 'tls' ? [] : (meaningOf(word) ?? [])));
  const ofKind = (...kinds: readonly PortMeaningKind[]): Meaning | undefined =>
    found.find(({ kind }) => kinds.includes(kind));
  const other = ofKind('product', 'beside') ?? ofKind('seldom') ?? ofKind('metrics');
  if (other !== undefined) return other;
  // Names have 15 characters, so words may lack a hyphen: `frrmetricshttps`.
  if (words.some((word) => word.includes('metrics'))) return OF_WORD.get('metrics');
  if (words.some((word) => word.startsWith('webhook'))) return OF_WORD.get('webhook');
  if (isHttps) return OF_WORD.get('https');
  const telling = words.filter((word) => !saysNothing(word));
  const isHttp = [telling.at(0), telling.at(-1)].some((word = '') => meaningOf(word)?.kind === 'http');
  if (isHttp || words.includes('redirect')) return OF_WORD.get('http');
  if (telling.length === 0 || !telling.every(isOfHttp)) return undefined;
  return OF_WORD.get(telling.some((word) => meaningOf(word)?.kind === 'web') ? 'web' : 'app');
}

/** What a well-known number means, whatever its port is called. */
export function meaningOfNumber(number: number): Meaning | undefined {
  return OF_NUMBER.get(String(number));
}

/** Words of programs that use a protocol, and often answer HTTP themselves: `kafka-manager`, `redis-commander`. */
const CLIENT_WORDS: ReadonlySet<string> = new Set(
  (
    'bridge browser commander connect controller explorer express gateway insight manager operator registry viewer ' +
    'exporter metrics prometheus pprof debug webhook h2c http2'
  ).split(' '),
);

/** True when a word means HTTP, or a client of a protocol: `grpc-web`, `kafka-manager`. */
export function isDoubtful(words: readonly string[]): boolean {
  return words.some((word) => CLIENT_WORDS.has(word) || /^(?:https?|web)$/.test(meaningOf(word)?.kind ?? ''));
}

/** The first protocol that is never HTTP, whatever other words stand beside it. */
export function neverHttpIn(words: readonly string[]): string | undefined {
  return words.map(meaningOf).find(isNever)?.protocol;
}

/** False for words of applications alone: a Service named `app` does not say what its Pods speak. */
export const saysProtocol = (meaning: Meaning | undefined): meaning is Meaning =>
  meaning !== undefined && meaning.kind !== 'app';

/** True for protocols whose servers never answer HTTP. */
export const isNever = (meaning: Meaning | undefined): boolean =>
  meaning?.kind === 'product' || meaning?.kind === 'beside';

/** Words that distributions and charts add to the name of a product: `cp-kafka`, `redis-stack-server`. */
const OF_PACKAGING: ReadonlySet<string> = new Set(
  'broker ce cluster community cp database db eclipse enterprise galera ha master node primary replica repmgr sentinel server sh stack standalone start'.split(
    ' ',
  ),
);

/**
 * The product that a container's name, or the path of an image, names: `postgres`, `cp-kafka`, `mssql/server`. The last
 * part counts, and all its words must be of products.
 */
export function productOf(...parts: readonly string[]): string | undefined {
  const telling = parts.map((part) => wordsOf(part).filter((word) => !OF_PACKAGING.has(word) && !/^\d*$/.test(word)));
  const found = telling.findLast(({ length }) => length > 0)?.map((word) => OF_OWNER.get(word)?.protocol);
  return found?.every((protocol) => protocol !== undefined) ? found.at(-1) : undefined;
}

/** True when a name says that the port is for metrics, whatever else the name says: `tcp-metrics`. */
export function isNamedForMetrics(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => word.includes('metrics') || OF_WORD.get(word)?.kind === 'metrics');
}

export function isGrpc({ name }: { readonly name: string | undefined }): boolean {
  return name !== undefined && wordsOf(name).includes('grpc');
}
