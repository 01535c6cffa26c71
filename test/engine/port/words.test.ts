import { describe, expect, it } from 'vitest';
import { isGrpc, isNoName, meaningOfNumber, meaningOfText, productOf } from '../../../src/engine/port/words.ts';

describe('a well-known number', () => {
  // IANA's registry of service names and port numbers, and the default of each product's own documentation.
  const known: Readonly<Record<string, readonly number[]>> = {
    'a debugger': [9229, 40000],
    'a webhook': [9443],
    ActiveMQ: [61616],
    AMQP: [5671, 5672],
    Beats: [5044],
    BGP: [179],
    Bolt: [7687],
    CQL: [9042],
    Dask: [8786],
    DNS: [53],
    Fluentd: [24224],
    FTP: [21],
    gRPC: [4317, 7233, 10901, 14250, 26500, 50051, 50052],
    HTTP: [3100, 5601, 8086, 8200, 8500, 9200, 15672],
    HTTPS: [443, 8443],
    IMAP: [143, 993],
    Kafka: [9092],
    LDAP: [389, 636],
    memcached: [11211],
    Minecraft: [25565],
    MongoDB: [27017],
    MQTT: [1883, 8883],
    MySQL: [3306],
    NATS: [4222],
    NFS: [2049],
    NTP: [123],
    OpenVPN: [1194],
    Oracle: [1521],
    OTLP: [4318],
    POP3: [110, 995],
    PostgreSQL: [5432, 6432, 26257],
    Pulsar: [6650, 6651],
    RCON: [25575],
    RDP: [3389],
    Redis: [6379, 26379],
    rsync: [873],
    RTMP: [1935],
    RTSP: [554, 8554],
    SIP: [5060, 5061],
    SMB: [139, 445],
    SMTP: [25, 465, 587],
    SNMP: [161, 162],
    'SQL Server': [1433],
    SSH: [22],
    StatsD: [8125],
    STOMP: [61613],
    syslog: [514, 6514],
    telnet: [23],
    traces: [9411, 14268],
    VNC: [5900, 5901, 5902],
    WireGuard: [51820],
    XMPP: [5222, 5269],
    ZooKeeper: [2181],
  };

  it('means its protocol, and no other number means anything', () => {
    const protocols = new Map(
      Object.entries(known).flatMap(([protocol, numbers]) => numbers.map((at) => [at, protocol])),
    );
    for (let number = 1; number <= 65_535; number++) {
      const { protocol } = meaningOfNumber(number) ?? {};
      if (protocol !== protocols.get(number)) expect([number, protocol]).toEqual([number, protocols.get(number)]);
    }
  });
});

describe('a name', () => {
  it('means nothing when its text is longer than the API server takes', () => {
    const text = (length: number): string => `${'x'.repeat(length - '/grpc'.length)}/grpc`;
    expect(meaningOfText(text(320))?.protocol).toBe('gRPC');
    expect(meaningOfText(text(321))).toBeUndefined();
  });

  it('is none where its words say nothing', () => {
    expect([undefined, 'port', 'p8080', '8080', 'port-1'].map(isNoName)).toEqual([true, true, true, true, true]);
    expect(['http', 'http-port', 'redis', 'x'].map(isNoName)).toEqual([false, false, false, false]);
  });
});

it.each<[string, string | undefined]>([
  ['http-port', 'http'],
  ['port-http', 'http'],
  ['http-x', 'http'],
  ['x-http-y', undefined],
  ['web-port', 'web'],
  ['app-1', 'app'],
  ['x-web', undefined],
])('a name means HTTP by its first and last word that says something: %s, %s', (name, kind) =>
  expect(meaningOfText(name)?.kind).toBe(kind),
);

it.each<[string | undefined, boolean]>([
  ['grpc', true],
  ['grpc-web', true],
  ['tcp-grpc', true],
  ['http', false],
  [undefined, false],
])('the name of a port for gRPC has the word: %s, %s', (name, expected) => expect(isGrpc({ name })).toBe(expected));

describe('the name of a container or image', () => {
  it.each([
    ['postgres', 'PostgreSQL'],
    ['redis-stack-server', 'Redis'],
    ['cp-kafka', 'Kafka'],
    ['rabbitmq', 'AMQP'],
    ['postgres-16', 'PostgreSQL'],
    ['mssql/server', 'SQL Server'],
    ['oracle/database', 'Oracle'],
    ['percona/percona-server-mongodb', 'MongoDB'],
    ['bitnami/mariadb-galera', 'MariaDB'],
    ['eclipse-mosquitto', 'MQTT'],
  ])('%s is a product', (name, product) => expect(productOf(...name.split('/'))).toBe(product));

  it.each([
    ...['app', 'redis-commander', 'kafka-consumer', 'grpc', 'server', '', 'my-postgres-api'],
    ...['postgres/web', 'kafka/kafka-ui', 'acme-dns/server', 'library/server'],
  ])('%s is no product', (name) => expect(productOf(...name.split('/'))).toBeUndefined());
});
