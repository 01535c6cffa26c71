import { describe, expect, it } from 'vitest';
import { isNamedForHttps, neverHttp, protocolOfPort } from '../../../src/engine/workload/port-protocol.ts';

const hints = (...texts: string[]): { service: string; text: string }[] =>
  texts.map((text) => ({ service: 'web', text }));

/** `http`, `https`, `metrics`, `unknown`, or the other protocol. */
function protocol(name: string | undefined, number = 8080, ...texts: string[]): string {
  const found = protocolOfPort({ name, number }, hints(...texts));
  return found.speaks === 'other' ? (found.protocol ?? '') : found.speaks;
}

describe('the protocol of a port', () => {
  it.each([
    ['http', 'http http-api web http-webhook https-redirect'],
    ['https', 'https https-webhook admin-https tls-http tls-https webhook webhook-server webhooks'],
    ['unknown', 'main nothttps'],
    ['metrics', 'metrics http-metrics metrics-https prometheus frrmetricshttps pprof'],
    ['gRPC', 'grpc scaler-grpc grpc-web http-grpc grpc-metrics my-grpc-port GRPC'],
    ['plain TCP', 'tcp tcp-http'],
    ['TLS', 'tls'],
    ['HTTP/2', 'http2 h2c'],
    ['Redis', 'redis redis-http'],
    ['memcached', 'memcache'],
    ['peers', 'http-peer'],
    ['gossip', 'gossip'],
    ['a debugger', 'debug'],
    ['JMX', 'jmx'],
  ])('%s has the names %s', (expected, names) => {
    for (const name of names.split(' ')) expect(protocol(name), name).toBe(expected);
  });

  const numbers =
    '5432: PostgreSQL, 3306: MySQL, 1433: SQL Server, 6379: Redis, 11211: memcached, 27017: MongoDB, ' +
    '9092: Kafka, 5672: AMQP, 9042: CQL, 4222: NATS, 1883: MQTT, 22: SSH, 25: SMTP, 53: DNS, ' +
    '389: LDAP, 40000: a debugger, 8080: unknown';
  it.each(numbers.split(', '))('without a name is by its number %s', (entry) => {
    const [number, expected] = entry.split(': ');
    expect(protocol(undefined, Number(number))).toBe(expected);
  });

  it('follows the number where the name says nothing, and never against the name', () => {
    expect(protocol('db', 5432)).toBe('PostgreSQL');
    expect(protocol('http', 9092)).toBe('http');
    expect(protocol('web', 9092)).toBe('http');
    expect(protocol('metrics', 9092)).toBe('metrics');
  });

  it.each([
    ['kubernetes.io/h2c', 'HTTP/2'],
    ['kubernetes.io/ws', 'http'],
    ['kubernetes.io/wss', 'https'],
    ['grpc', 'gRPC'],
    ['example.test/redis', 'Redis'],
    ['HTTPS', 'https'],
    ['tcp', 'plain TCP'],
    ['http-metrics', 'metrics'],
    ['example.test/own', 'unknown'],
  ])('follows what a Service says: %s is %s', (text, expected) =>
    expect(protocol(undefined, 8080, text)).toBe(expected),
  );

  it.each(['tcp', 'tls', 'cluster', 'debug', 'peer', 'http2', 'kubernetes.io/h2c'])(
    'is by the own name of the port where a Service says %s, which HTTP servers have too',
    (text) => {
      expect(protocol('http', 8080, text)).toBe('http');
      expect(protocol('https', 8443, text)).toBe('https');
      expect(protocol('main', 8080, text)).not.toBe('unknown');
    },
  );

  it('is another protocol as soon as a name or a Service says so', () => {
    expect(protocol('http', 8080, 'grpc')).toBe('gRPC');
    expect(protocol('grpc', 8080, 'http')).toBe('gRPC');
    expect(protocol(undefined, 5432, 'http')).toBe('http');
  });

  it("is HTTP where a Service's ports http and https both lead to it, and its own name comes first", () => {
    expect(protocol(undefined, 8080, 'https', 'http')).toBe('http');
    expect(protocol('http', 8080, 'https')).toBe('http');
    expect(protocol('https', 8080, 'http')).toBe('https');
    expect(protocol('main', 8080, 'metrics', 'https')).toBe('https');
  });
});

describe('a port that never answers HTTP', () => {
  it.each([
    [{ name: 'grpc', number: 1 }, 'gRPC'],
    [{ name: 'tcp-redis', number: 1 }, 'Redis'],
    [{ name: undefined, number: 6379 }, 'Redis'],
    // A word of HTTP, a word that some HTTP servers have, or the number of a named port: all of them leave a doubt.
    [{ name: 'grpc-web', number: 1 }, undefined],
    [{ name: 'grpc-metrics', number: 1 }, undefined],
    [{ name: 'redis-exporter', number: 1 }, undefined],
    [{ name: 'metrics', number: 6379 }, undefined],
    [{ name: 'debug', number: 40000 }, undefined],
    [{ name: 'tcp', number: 1 }, undefined],
    [{ name: 'peer', number: 2380 }, undefined],
    [{ name: 'main', number: 9092 }, undefined],
  ])('is %j: %s', (port, expected) => expect(neverHttp(port)?.protocol).toBe(expected));

  it('is named by Services too, unless a Service says HTTP', () => {
    expect(neverHttp({ name: 'main', number: 1 }, hints('grpc'))).toEqual({ protocol: 'gRPC', because: 'Service web' });
    expect(neverHttp({ name: undefined, number: 9092 }, hints('http'))).toBeUndefined();
    expect(neverHttp({ name: 'grpc', number: 1 }, hints('http'))).toBeUndefined();
  });
});

it('says HTTPS by its name; webhook only beside a number of TLS', () => {
  const named = (name: string | undefined, number = 8080): boolean => isNamedForHttps({ name, number });
  expect(['https', 'https-a', 'metrics-https', 'tls-http'].map((name) => named(name))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([named('webhook'), named('webhook', 9443), named('http-webhook', 9443)]).toEqual([false, true, false]);
  expect([named(undefined, 443), named('tls', 443), named('web', 8443)]).toEqual([false, false, false]);
});
