import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { mergedFacts, NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { servicesOfPod, type ServiceDigest } from '../../../src/engine/facts/services.ts';
import { readService } from '../../../src/engine/facts/read-service.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { stringMember, type JsonObject } from '../../../src/base/json/json-value.ts';

const PORTS = [{ port: 80, targetPort: 'http' }];

function service(spec: unknown, name: unknown = 'web'): JsonObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'apps' }, spec };
}

const labelsOf = (labels: JsonObject): { get: (key: string) => string | undefined } => ({
  get: (key) => stringMember(labels, key),
});

function digestOf(spec: unknown, name = 'web'): ServiceDigest {
  const digest = readService(service(spec, name));
  if (digest === undefined) throw new Error('nothing is kept');
  return digest;
}

describe('what is kept of a Service', () => {
  describeCases('test/fixtures/services.yaml', ['text', 'targetPorts', 'needsReadyPods', 'namesReadyPods'], (given) => {
    const { spec, name, apiVersion = 'v1' } = given;
    const { text, targetPorts, needsReadyPods, namesReadyPods } =
      readService({ ...service(spec, name), apiVersion }) ?? {};
    return { text, targetPorts, needsReadyPods, ...(namesReadyPods === true && { namesReadyPods }) };
  });

  it('has all labels and ports, however many there are', () => {
    const selector = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`label-${index}`, 'x'.repeat(63)]));
    const ports = Array.from({ length: 5000 }, (_, index) => ({ port: index + 1 }));
    const digest = digestOf({ selector, ports });
    expect(digest.targetPorts.length).toBe(5000);
    expect(digest.selectsPods(labelsOf(selector))).toBe(true);
    expect(digest.selectsPods(labelsOf({ ...selector, 'label-4999': 'y' }))).toBe(false);
  });

  const labels = fc.dictionary(
    fc.constantFrom('app', 'tier', 'app.kubernetes.io/name', 'name', 'a.b/c', '__proto__', 'constructor'),
    fc.constantFrom('', 'web', 'we', 'web-1', 'a.b_c'),
    { minKeys: 1 },
  );

  it('selects the Pods that have all labels of the selector', () =>
    fc.assert(
      fc.property(labels, labels, (selector, pod) => {
        const digest = readService(service({ selector, ports: PORTS }));
        const isSelected = Object.entries(selector).every(
          ([key, value]) => Object.hasOwn(pod, key) && Object.entries(pod).some(([k, v]) => k === key && v === value),
        );
        // The API server refuses the key __proto__, because a label begins with a letter or digit.
        if (Object.keys(selector).includes('__proto__')) expect(digest).toBeUndefined();
        else expect(digest?.selectsPods(labelsOf(pod))).toBe(isSelected);
      }),
    ));
});

describe('the Services of several sources', () => {
  const digest = (name: string, port: number): ServiceDigest =>
    digestOf({ selector: { a: 'b' }, ports: [{ port }] }, name);

  it('are unknown when nobody knows them, and else those of all sources, by name', () => {
    const below = new ByNamespace(new Map([['apps', [digest('a', 1), digest('c', 1)]]]));
    const above = new ByNamespace(new Map([['apps', [digest('b', 2), digest('c', 2)]]]));
    const merged = (one: typeof below | undefined, other: typeof below | undefined): typeof below | undefined =>
      mergedFacts({ ...NO_FACTS, services: one }, { ...NO_FACTS, services: other }).services;
    expect(merged(undefined, undefined)).toBeUndefined();
    expect(merged(below, undefined)).toBe(below);
    expect(merged(undefined, above)).toBe(above);
    expect(merged(below, above)).toEqual(below.with(above));
    expect(below.with(above).ofNamespace('apps')).toEqual([digest('a', 1), digest('b', 2), digest('c', 2)]);
    expect(below.with(above).ofNamespace('other')).toEqual([]);
  });
});

describe('what a Service says about a port', () => {
  const ports = [
    { port: 1, targetPort: 6500, name: 'scaler-grpc' },
    { port: 2, targetPort: 'web', name: 'main', appProtocol: 'kubernetes.io/h2c' },
    { port: 3, targetPort: 'http', name: 'http', appProtocol: 'HTTP' },
    { port: 4, targetPort: 53, name: 'dns', protocol: 'UDP' },
    { port: 5, targetPort: 80, name: 'a,b c:d', appProtocol: 5 },
  ];
  const digest = digestOf({ selector: { app: 'web' }, ports });

  it('is known of a headless Service', () => {
    const spec = { selector: { app: 'web' }, clusterIP: 'None', publishNotReadyAddresses: true };
    const headless = digestOf({ ...spec, ports: [{ port: 5432, targetPort: 'client', name: 'tcp-postgresql' }] });
    const { say } = servicesOfPod([headless], labelsOf({ app: 'web' }));
    expect(say({ name: 'client', number: 5433 })).toEqual([{ service: 'web', text: 'tcp-postgresql' }]);
  });

  it('is known by number and by name, for the Pods that the Service selects', () => {
    const { say } = servicesOfPod([digest], labelsOf({ app: 'web' }));
    expect(say({ name: undefined, number: 6500 })).toEqual([{ service: 'web', text: 'scaler-grpc' }]);
    expect(say({ name: 'web', number: 6500 }).map(({ text }) => text)).toEqual(['scaler-grpc', 'h2c']);
    expect(say({ name: 'http', number: 80 })).toEqual([]);
    expect(servicesOfPod([digest], labelsOf({ app: 'api' })).say({ name: 'web', number: 6500 })).toEqual([]);
  });

  it('with another transport counts unless a Service sends TCP traffic to the same port, by number or by name', () => {
    const udp = digestOf(
      { selector: { app: 'web' }, ports: [{ port: 443, targetPort: 'h3', protocol: 'UDP' }] },
      'udp',
    );
    const numbered = digestOf({ selector: { app: 'web' }, ports: [{ port: 443, protocol: 'UDP' }] }, 'udp');
    const tcp = (targetPort: unknown) =>
      digestOf({ selector: { app: 'web' }, ports: [{ port: 443, targetPort, name: 'grpc' }] }, 'tcp');
    const said = (services: ServiceDigest[], name: string | undefined = 'h3'): string[] =>
      servicesOfPod(services, labelsOf({ app: 'web' }))
        .say({ name, number: 443 })
        .map(({ text }) => text);
    expect(said([udp])).toEqual(['udp']);
    expect(servicesOfPod([udp], labelsOf({ app: 'web' })).say({ name: 'h3', number: 443 })).toEqual([
      { service: 'udp', text: 'udp', transport: 'UDP' },
    ]);
    expect(said([udp, tcp('h3')])).toEqual(['grpc']);
    expect(said([udp, tcp(443)])).toEqual(['grpc']);
    expect(said([numbered, tcp('h3')])).toEqual(['grpc']);
    expect(said([numbered, tcp('other')])).toEqual(['udp']);
    expect(said([numbered], undefined)).toEqual(['udp']);
    expect(said([numbered, tcp(8443)], undefined)).toEqual(['udp']);
  });

  it('is told by eight Services at most', () => {
    const services = Array.from({ length: 10 }, (_, index) =>
      digestOf({ selector: { app: 'web' }, ports: [{ port: 80, name: 'grpc' }] }, `s${index}`),
    );
    const { say } = servicesOfPod(services, labelsOf({ app: 'web' }));
    expect(say({ name: undefined, number: 80 }).map(({ service }) => service)).toEqual([
      's0',
      's1',
      's2',
      's3',
      's4',
      's5',
      's6',
      's7',
    ]);
  });
});
