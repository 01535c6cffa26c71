import { describe, expect, it } from 'vitest';
import {
  isForTls,
  isGrpc,
  isNamedForHttps,
  neverHttp,
  protocolOfPort,
  protocolOfText,
} from '../../../src/engine/workload/port-protocol.ts';
import { describeCases } from '../../support/recorded-cases.ts';

/** A port from its name, its number after a colon, or both. */
function portOf(text: string): { readonly name: string | undefined; readonly number: number } {
  const [name, number = '8080'] = text.split(':');
  return { name: name === '' ? undefined : name, number: Number(number) };
}

describe('the protocol of a port', () =>
  describeCases('test/fixtures/port-protocols.yaml', ['protocols', 'neverHttp', 'forHttps'], (given) => {
    const { ports, services = [] } = given as { ports: readonly string[]; services?: readonly string[] };
    const hints = services.map((text) => ({ service: 'web', text }));
    const protocols = ports.map((text) => {
      const found = protocolOfPort(portOf(text), hints);
      return [text, found.speaks === 'other' ? found.protocol : found.speaks] as const;
    });
    const never = ports.flatMap((text) => {
      const found = neverHttp(portOf(text), hints);
      return found === undefined ? [] : [[text, `${found.protocol} because of ${found.because}`] as const];
    });
    const forHttps = ports.filter((text) => isNamedForHttps(portOf(text)));
    return {
      protocols: Object.fromEntries(protocols),
      neverHttp: never.length > 0 ? Object.fromEntries(never) : undefined,
      forHttps: forHttps.length > 0 ? forHttps : undefined,
    };
  }));

describe('a port that has no name', () => {
  // IANA's registry of service names and port numbers, and the default of each product's own documentation.
  const known: Readonly<Record<string, readonly number[]>> = {
    ActiveMQ: [61616],
    AMQP: [5671, 5672],
    Bolt: [7687],
    CQL: [9042],
    'a debugger': [40000],
    DNS: [53],
    FTP: [21],
    gRPC: [4317, 7233, 10901, 14250, 26500, 50051, 50052],
    IMAP: [143, 993],
    Dask: [8786],
    Kafka: [9092],
    LDAP: [389, 636],
    memcached: [11211],
    MongoDB: [27017],
    MQTT: [1883, 8883],
    MySQL: [3306],
    NATS: [4222],
    NFS: [2049],
    Oracle: [1521],
    POP3: [110, 995],
    PostgreSQL: [5432, 6432, 26257],
    Redis: [6379, 26379],
    rsync: [873],
    SMB: [139, 445],
    SMTP: [25, 465, 587],
    'SQL Server': [1433],
    SSH: [22],
    StatsD: [8125],
    ZooKeeper: [2181],
  };
  const protocols = new Map(
    Object.entries(known).flatMap(([protocol, numbers]) => numbers.map((at) => [at, protocol])),
  );

  it('speaks the protocol of its well-known number, and no other number says anything', () => {
    for (let number = 1; number <= 65_535; number++) {
      const { protocol } = neverHttp({ name: undefined, number }) ?? {};
      if (protocol !== protocols.get(number)) expect([number, protocol]).toEqual([number, protocols.get(number)]);
    }
  });

  it('is for TLS at 443, 8443 and 9443, and at no other number', () => {
    const numbers = Array.from({ length: 65_535 }, (_, index) => index + 1);
    expect(numbers.filter((number) => isForTls({ name: undefined, number }))).toEqual([443, 8443, 9443]);
  });
});

describe('a port with a name', () => {
  const port = (name: string, number = 8080) => ({ name, number });

  it('is for TLS when its name says so, and a webhook is for HTTPS on a number of TLS alone', () => {
    expect(['https', 'tls-api', 'webhook-tls'].filter((name) => !isForTls(port(name)))).toEqual([]);
    expect(['http', 'webhook', 'api'].filter((name) => isForTls(port(name)))).toEqual([]);
    expect([isNamedForHttps(port('webhook', 9443)), isNamedForHttps(port('webhook'))]).toEqual([true, false]);
    expect(isNamedForHttps({ name: undefined, number: 443 })).toBe(false);
  });

  it('is for gRPC when a word of its name is', () => {
    expect(['grpc', 'api-grpc', 'GRPC-web'].filter((name) => !isGrpc({ name }))).toEqual([]);
    expect(['grpcs', 'http'].filter((name) => isGrpc({ name }))).toEqual([]);
    expect(isGrpc({ name: undefined })).toBe(false);
  });

  it('says nothing when its text is longer than the API server takes', () => {
    const text = (length: number): string => `${'x'.repeat(length - '/grpc'.length)}/grpc`;
    expect(protocolOfText(text(320))).toEqual({ speaks: 'other', protocol: 'gRPC' });
    expect(protocolOfText(text(321))).toEqual({ speaks: 'unknown' });
  });
});
