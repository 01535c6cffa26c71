import { wordSet } from '../probe/exec-invocation.ts';
import type { ContainerPort } from './ports.ts';

type NamedPort = Pick<ContainerPort, 'name' | 'number'>;

/** A protocol, and what says so: `its name`, `its number`, `Service web`. */
type NeverHttp = Readonly<Record<'protocol' | 'because', string>>;

/** What the server on a port speaks. `metrics` is HTTP without health. Most ports are `unknown`. */
export interface PortProtocol {
  readonly speaks: 'http' | 'https' | 'metrics' | 'other' | 'unknown';
  readonly protocol?: string;
  /** What says so, for people: `its name`, `its number`, `Service web`. */
  readonly because?: string;
}

/** What a Service says about a port of its Pods: the name of the Service's own port, or its `appProtocol`. */
export interface PortHint {
  readonly service: string;
  readonly text: string;
  /** UDP or SCTP, where no Service sends TCP traffic to the port. */
  readonly transport?: string;
}

/** Returns what the Services of a Pod say about a port of its containers. */
export type PortHints = (port: NamedPort) => readonly PortHint[];

export const NO_HINTS: PortHints = () => [];

function wordTable(text: string): ReadonlyMap<string, string> {
  return new Map(text.split(',').map((entry) => entry.trim().split(': ') as [string, string]));
}

/**
 * Words of protocols in names of ports and in `appProtocol`, by the convention of Kubernetes and Istio:
 * `<protocol>[-suffix]`, `<purpose>-<protocol>`. Servers of these protocols never answer HTTP.
 */
const NEVER_HTTP = wordTable(`
  amqp: AMQP, amqps: AMQP, bolt: Bolt, cifs: SMB, cql: CQL, delve: Delve, dns: DNS, ftp: FTP, grpc: gRPC, imap: IMAP,
  imaps: IMAP, jdwp: JDWP, kafka: Kafka, ldap: LDAP, ldaps: LDAP, mariadb: MariaDB, memcache: memcached,
  memcached: memcached, microsoft: SMB, mongo: MongoDB, mongodb: MongoDB, mqtt: MQTT, mssql: SQL Server, mysql: MySQL,
  nats: NATS, netbios: SMB, nfs: NFS, pgbouncer: PostgreSQL, pop3: POP3, postgres: PostgreSQL,
  postgresql: PostgreSQL, redis: Redis, rsync: rsync, rtmp: RTMP, samba: SMB, sftp: SFTP, smb: SMB, smtp: SMTP, smtps: SMTP, ssh: SSH, statsd: StatsD,
  stomp: STOMP, thrift: Thrift, zookeeper: ZooKeeper
`);

export const PLAIN_TCP = 'plain TCP';

/** Words of ports that seldom have a health endpoint. Some servers behind such names answer HTTP all the same. */
const SELDOM_HTTP = wordTable(`
  cluster: cluster members, debug: a debugger, gossip: gossip, h2c: HTTP/2, http2: HTTP/2, jmx: JMX, peer: peers,
  raft: Raft, sctp: SCTP, serf: Serf, tcp: ${PLAIN_TCP}, tls: TLS, udp: UDP
`);

const METRICS = wordTable(`
  metrics: metrics, pprof: profiles, profiling: profiles, prom: metrics, prometheus: metrics
`);

/** Words that mean HTTP. A name with such a word says more than the number of its port. */
const HTTP_WORDS = wordSet(`
  http https http2 h2c web www ws wss rest api ui gui console dashboard admin status health healthz live ready probe
  probes management mgmt monitor monitoring exporter metrics prometheus pprof debug webhook
`);

/** Words of programs that use a protocol, and often answer HTTP themselves: `kafka-manager`, `redis-commander`. */
const CLIENT_WORDS = wordSet(
  'bridge browser commander connect controller explorer express gateway insight manager operator registry viewer',
);

/** Well-known numbers: IANA's for these protocols, and what their products and debuggers listen on by default. */
const NUMBERS = wordTable(`
  21: FTP, 22: SSH, 25: SMTP, 53: DNS, 110: POP3, 139: SMB, 143: IMAP, 389: LDAP, 445: SMB, 465: SMTP, 587: SMTP,
  636: LDAP, 873: rsync, 993: IMAP, 995: POP3, 1433: SQL Server, 1521: Oracle, 1883: MQTT, 2049: NFS, 2181: ZooKeeper,
  3306: MySQL, 4222: NATS, 4317: gRPC, 5432: PostgreSQL, 5671: AMQP, 5672: AMQP, 6379: Redis, 6432: PostgreSQL,
  7233: gRPC, 7687: Bolt, 8125: StatsD, 8786: Dask, 8883: MQTT, 9042: CQL, 9092: Kafka, 10901: gRPC,
  11211: memcached, 14250: gRPC, 26257: PostgreSQL, 26379: Redis, 26500: gRPC, 27017: MongoDB, 40000: a debugger, 50051: gRPC, 50052: gRPC, 61616: ActiveMQ
`);

const TLS_NUMBERS: ReadonlySet<number> = new Set([443, 8443, 9443]);

/** Numbers of products that answer HTTP: Grafana Loki, Kibana, InfluxDB, Vault, Consul, Elasticsearch, RabbitMQ. */
const HTTP_NUMBERS: ReadonlySet<number> = new Set([3100, 5601, 8086, 8200, 8500, 9200, 15672]);

/** True for a number that a protocol or a product is known for: nobody writes it by mistake for another. */
export function isWellKnown(number: number): boolean {
  return NUMBERS.has(String(number)) || TLS_NUMBERS.has(number) || HTTP_NUMBERS.has(number);
}

/** The API server takes names of 15 characters, and an `appProtocol` of 63 behind its prefix. */
const LONGEST_TEXT = 320;

/** The words of a name, or of an `appProtocol` such as `kubernetes.io/h2c`. A text that is too long has none. */
function wordsOf(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return [];
  return text
    .slice(text.lastIndexOf('/') + 1)
    .toLowerCase()
    .split('-');
}

function firstIn<T>(table: ReadonlyMap<string, T>, words: readonly string[]): T | undefined {
  return words.map((word) => table.get(word)).find((found) => found !== undefined);
}

/** True when the words say HTTPS: `https-admin`, `metrics-https`, `tls-http`. `https-redirect` takes plain HTTP. */
function sayHttps(words: readonly string[]): boolean {
  if (words.includes('redirect')) return false;
  return words.includes('https') || words.includes('wss') || (words.includes('tls') && words.includes('http'));
}

/** Admission webhooks are called over TLS only. `http-webhook` is another kind of webhook. */
function areWebhook(words: readonly string[]): boolean {
  return words[0]?.startsWith('webhook') === true && !words.includes('http');
}

/** What kind of metrics the words mean. Names have 15 characters, so words may lack a hyphen: `frrmetricshttps`. */
function metricsIn(words: readonly string[]): string | undefined {
  return firstIn(METRICS, words) ?? (words.some((word) => word.includes('metrics')) ? 'metrics' : undefined);
}

/** True when a name says that the port is for metrics, whatever else the name says: `tcp-metrics`. */
export function isNamedForMetrics(name: string): boolean {
  return metricsIn(wordsOf(name)) !== undefined;
}

/**
 * What a name or an `appProtocol` says. In doubt the answer is the one that asks no HTTP: `grpc-web`, `redis-http` and
 * `tcp-http` are other protocols, and `https-metrics` is for metrics.
 */
export function protocolOfText(text: string): Omit<PortProtocol, 'because'> {
  const words = wordsOf(text);
  const isHttps = sayHttps(words);
  const seldom = isHttps ? words.filter((word) => word !== 'tls') : words;
  const protocol = firstIn(NEVER_HTTP, words) ?? firstIn(SELDOM_HTTP, seldom);
  if (protocol !== undefined) return { speaks: 'other', protocol };
  const purpose = metricsIn(words);
  if (purpose !== undefined) return { speaks: 'metrics', protocol: purpose };
  if (isHttps || areWebhook(words)) return { speaks: 'https' };
  return { speaks: words.some((word) => HTTP_WORDS.has(word)) ? 'http' : 'unknown' };
}

/** The words of a port's name, then those of its hints, with what says so. */
function saidOf(name: string | undefined, hints: readonly PortHint[]): { words: readonly string[]; because: string }[] {
  const said = hints.map(({ service, text }) => ({ words: wordsOf(text), because: `Service ${service}` }));
  return name === undefined ? said : [{ words: wordsOf(name), because: 'its name' }, ...said];
}

/** The first protocol that is never HTTP. */
function neverHttpIn(said: ReturnType<typeof saidOf>): NeverHttp | undefined {
  return said
    .map(({ words, because }) => ({ protocol: firstIn(NEVER_HTTP, words) ?? '', because }))
    .find(({ protocol }) => protocol !== '');
}

function protocolOfNumber(number: number): NeverHttp | undefined {
  const protocol = NUMBERS.get(String(number));
  return protocol === undefined ? undefined : { protocol, because: 'its number' };
}

const UNKNOWN: PortProtocol = { speaks: 'unknown' };

/**
 * What a port's server speaks. A protocol that is never HTTP wins, whoever names it: the port's name, or a Service.
 * Then the port's own name counts, then what Services say: many Services call a port of HTTP servers `tcp`. The number
 * counts where all names say nothing (`db` on 5432 is PostgreSQL).
 */
export function protocolOfPort(port: NamedPort, hints: readonly PortHint[] = []): PortProtocol {
  const own = port.name === undefined ? UNKNOWN : protocolOfText(port.name);
  if (own.speaks === 'other') return { ...own, because: 'its name' };
  // The words of its own name are no other protocol.
  const never = neverHttpIn(saidOf(undefined, hints));
  if (never !== undefined) return { speaks: 'other', ...never };
  if (own.speaks !== 'unknown') return { ...own, because: 'its name' };
  const said = hints.map(({ service, text }) => ({ ...protocolOfText(text), because: `Service ${service}` }));
  // Where ports http and https of a Service lead to one port, TLS ends before the Pod.
  for (const speaks of ['other', 'http', 'https', 'metrics']) {
    const found = said.find((one) => one.speaks === speaks);
    if (found !== undefined) return found;
  }
  const known = protocolOfNumber(port.number);
  return known === undefined ? UNKNOWN : { speaks: 'other', ...known };
}

/**
 * The protocol of a port whose server never answers HTTP, and what says so. Undefined in doubt: where a word means
 * HTTP or a client of the protocol, or where only the number of a port with a name says so.
 */
export function neverHttp(port: NamedPort, hints: readonly PortHint[] = []): NeverHttp | undefined {
  const said = saidOf(port.name, hints);
  if (said.some(({ words }) => words.some((word) => HTTP_WORDS.has(word) || CLIENT_WORDS.has(word)))) return undefined;
  return neverHttpIn(said) ?? (port.name === undefined ? protocolOfNumber(port.number) : undefined);
}

export function isGrpc({ name }: Pick<ContainerPort, 'name'>): boolean {
  return name !== undefined && wordsOf(name).includes('grpc');
}

/** True when the port's name says HTTPS. A webhook counts on a TLS number only: others may take plain HTTP. */
export function isNamedForHttps({ name, number }: NamedPort): boolean {
  if (name === undefined) return false;
  const words = wordsOf(name);
  return sayHttps(words) || (areWebhook(words) && TLS_NUMBERS.has(number));
}

export function isForTls(port: NamedPort): boolean {
  return isNamedForHttps(port) || TLS_NUMBERS.has(port.number) || wordsOf(port.name ?? '').includes('tls');
}
