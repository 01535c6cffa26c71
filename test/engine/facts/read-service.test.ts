import { describe, expect, it } from 'vitest';
import { readService } from '../../../src/engine/facts/read-service.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SELECTOR = { app: 'web' };
const PORTS = [{ port: 80 }];

/** The text that is kept of a Service with this spec. */
const kept = (spec: unknown, members: JsonObject = {}): string | undefined =>
  readService({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec, ...members })?.text;

/** What is kept of the ports of a Service. */
const keptPorts = (...ports: unknown[]): string | undefined =>
  kept({ selector: SELECTOR, ports })?.replace('web app=web ', '');

describe('a Service', () => {
  const spec = { selector: SELECTOR, ports: PORTS };

  it('is kept as its name, its selector and its ports', () => {
    expect(kept(spec)).toBe('web app=web 80');
    expect(kept({ selector: { app: 'web', 'app.kubernetes.io/name': '' }, ports: PORTS })).toBe(
      'web app=web,app.kubernetes.io/name= 80',
    );
  });

  it('is one of version v1, which lists of an API server leave out', () => {
    expect(kept(spec, { apiVersion: undefined })).toBe('web app=web 80');
    expect(kept(spec, { apiVersion: null })).toBe('web app=web 80');
    expect(kept(spec, { apiVersion: 'serving.knative.dev/v1' })).toBeUndefined();
  });

  it.each(['web', 'a.b-c', '1'])('may have the name %j', (name) =>
    expect(kept(spec, { metadata: { name } })).toBe(`${name} app=web 80`),
  );
  it.each([undefined, 5, '', '-a', 'A', 'a b', 'a,b', '!a'])('cannot have the name %j', (name) =>
    expect(kept(spec, { metadata: { name } })).toBeUndefined(),
  );

  it('without metadata or spec is not kept', () => {
    expect(kept(spec, { metadata: undefined })).toBeUndefined();
    for (const other of [undefined, null, [], 'spec']) expect(kept(other)).toBeUndefined();
  });

  it('that is an alias in DNS is not kept, whatever it selects', () => {
    expect(kept({ ...spec, type: 'ExternalName' })).toBeUndefined();
    for (const type of ['ClusterIP', 'NodePort', 'LoadBalancer', undefined])
      expect(kept({ ...spec, type })).toBe('web app=web 80');
  });

  it('has a mark where DNS has the Pods themselves', () => {
    expect(kept({ ...spec, clusterIP: 'None' })).toBe('~web app=web 80');
    for (const clusterIP of ['10.0.0.1', '', undefined]) expect(kept({ ...spec, clusterIP })).toBe('web app=web 80');
  });

  it('with traffic to unready Pods is kept only for what it says about ports', () => {
    const unready = { ...spec, publishNotReadyAddresses: true };
    expect(kept(unready)).toBeUndefined();
    expect(kept({ ...unready, ports: [{ port: 53, protocol: 'UDP' }] })).toBeUndefined();
    expect(kept({ ...unready, clusterIP: 'None', ports: [{ port: 80 }, { port: 90, name: 'grpc' }] })).toBe(
      '!web app=web 80,90:grpc',
    );
    for (const publishNotReadyAddresses of [false, 'true', undefined])
      expect(kept({ ...spec, publishNotReadyAddresses })).toBe('web app=web 80');
  });
});

describe('the selector of a Service', () => {
  it.each([undefined, null, {}, [], ['app'], 'app', { app: 1 }, { app: null }, { a: 'b', c: 5 }])(
    'that is %j selects no Pods, so the Service is not kept',
    (selector) => expect(kept({ selector, ports: PORTS })).toBeUndefined(),
  );

  it.each([{ '': 'b' }, { 'a=b': 'c' }, { 'a,b': 'c' }, { '-a': 'b' }, { a: 'b,c' }, { a: 'b=c' }, { a: 'b c' }])(
    'that is %j is refused by the API server, so the Service is not kept',
    (selector) => expect(kept({ selector: { ...SELECTOR, ...selector }, ports: PORTS })).toBeUndefined(),
  );
});

describe('a port of a Service', () => {
  it.each<[JsonObject, string]>([
    [{ port: 1 }, '1'],
    [{ port: 65_535 }, '65535'],
    [{ port: 80, targetPort: 8080 }, '8080'],
    [{ port: 80, targetPort: 'http' }, 'http'],
    [{ port: 80, targetPort: 0 }, '80'],
    [{ port: 80, targetPort: '' }, '80'],
    [{ port: 80, targetPort: null }, '80'],
    [{ port: 80, protocol: 'TCP' }, '80'],
    [{ port: 80, protocol: '' }, '80'],
    [{ port: 80, protocol: null }, '80'],
    [{ port: 80, targetPort: 'dns', protocol: 'UDP' }, 'dns/UDP'],
    [{ port: 80, protocol: 'SCTP', name: 'grpc' }, '80/SCTP'],
  ])('%j is kept as %s', (port, text) => expect(keptPorts(port)).toBe(text));

  it.each<unknown>([
    null,
    80,
    {},
    { port: 0 },
    { port: 65_536 },
    { port: '80' },
    { port: '80', targetPort: 80 },
    { port: 80, targetPort: 65_536 },
    { port: 80, targetPort: -1 },
    { port: 80, targetPort: 'a b' },
    { port: 80, targetPort: true },
    { port: 80, protocol: 'udp' },
    { port: 80, protocol: 'A/B' },
    { port: 80, protocol: 5 },
    { port: 80, protocol: 'ABCDEFGHIJK' },
  ])('%j is refused by the API server, so the Service is not kept', (port) =>
    expect(keptPorts({ port: 81 }, port)).toBeUndefined(),
  );

  it('counts once, and there is one at least', () => {
    expect(keptPorts({ port: 80 }, { port: 81, targetPort: 80 }, { port: 80, protocol: 'UDP' })).toBe('80,80/UDP');
    for (const ports of [[], undefined, 'ports']) expect(kept({ selector: SELECTOR, ports })).toBeUndefined();
  });

  it.each<[JsonObject, string]>([
    [{ name: 'grpc' }, '80:grpc'],
    [{ name: 'web-grpc' }, '80:web-grpc'],
    [{ appProtocol: 'kubernetes.io/H2C' }, '80:h2c'],
    [{ name: 'redis', appProtocol: 'redis' }, '80:redis'],
    [{ name: 'redis', appProtocol: 'grpc' }, '80:redis:grpc'],
    [{ name: 'main', appProtocol: 'example.test/mine' }, '80'],
    [{ name: 'grpc', targetPort: 'grpc' }, 'grpc'],
    [{ name: 5, appProtocol: null }, '80'],
    [{ name: 'grpc,redis' }, '80'],
    [{ name: 'grpc a' }, '80'],
    [{ name: `grpc-${'a'.repeat(58)}` }, `80:grpc-${'a'.repeat(58)}`],
    [{ name: `grpc-${'a'.repeat(59)}` }, '80'],
  ])('says what protocol it has: %j is kept as %s', (says, text) =>
    expect(keptPorts({ port: 80, ...says })).toBe(text),
  );
});
