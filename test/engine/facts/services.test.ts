import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { mergedFacts, NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { portHintsOf, readService, type ServiceDigest } from '../../../src/engine/facts/services.ts';
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
  it('has the name, the selector and the target ports with the defaults of the API server', () => {
    const digest = digestOf({
      selector: { app: 'web', 'app.kubernetes.io/name': 'shop' },
      ports: [
        { port: 80 },
        { port: 81, targetPort: 0 },
        { port: 82, targetPort: '' },
        { port: 83, targetPort: null, protocol: '' },
        { port: 84, targetPort: 'http' },
        { port: 53, targetPort: 'dns', protocol: 'UDP' },
        { port: 85, targetPort: 'x0x1' },
        { port: 86, targetPort: '1e3' },
      ],
    });
    expect(digest.name).toBe('web');
    expect(digest.targetPorts).toEqual([
      { port: 80, protocol: 'TCP', says: [] },
      { port: 81, protocol: 'TCP', says: [] },
      { port: 82, protocol: 'TCP', says: [] },
      { port: 83, protocol: 'TCP', says: [] },
      { port: 'http', protocol: 'TCP', says: [] },
      { port: 'dns', protocol: 'UDP', says: [] },
      { port: 'x0x1', protocol: 'TCP', says: [] },
      { port: '1e3', protocol: 'TCP', says: [] },
    ]);
    expect(digest.selectsPods(labelsOf({ app: 'web', 'app.kubernetes.io/name': 'shop' }))).toBe(true);
    expect(digest.selectsPods(labelsOf({ app: 'web', name: 'shop' }))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['no selector', { ports: PORTS }],
    ['the selector null', { selector: null, ports: PORTS }],
    ['the selector {}', { selector: {}, ports: PORTS }],
    [
      'traffic to Pods that are not ready, and no word about the port',
      { selector: { a: 'b' }, publishNotReadyAddresses: true, ports: PORTS },
    ],
    ['the type ExternalName', { selector: { a: 'b' }, type: 'ExternalName', ports: PORTS }],
    ['no ports', { selector: { a: 'b' }, clusterIP: 'None' }],
    ['an empty list of ports', { selector: { a: 'b' }, ports: [] }],
    ['no spec', undefined],
    ['a spec that is a text', 'spec'],
    ['a selector that is a list', { selector: ['a'], ports: PORTS }],
    ['a label that is a number', { selector: { a: 1 }, ports: PORTS }],
    ['a label with a comma', { selector: { a: 'b,c=d' }, ports: PORTS }],
    ['a key with an equals sign', { selector: { 'a=b': 'c' }, ports: PORTS }],
    ['a port that is a text', { selector: { a: 'b' }, ports: [{ port: '80' }] }],
    ['a target port with a space', { selector: { a: 'b' }, ports: [{ port: 80, targetPort: 'a b' }] }],
    ['a target port above the range', { selector: { a: 'b' }, ports: [{ port: 80, targetPort: 70_000 }] }],
    ['a protocol that is no word', { selector: { a: 'b' }, ports: [{ port: 80, protocol: 'a/b' }] }],
    ['a port that is null', { selector: { a: 'b' }, ports: [null] }],
  ])('is nothing for %s', (_, spec) => expect(readService(service(spec))).toBeUndefined());

  it('is nothing for a name that no Service can have, and for other kinds with the name', () => {
    const spec = { selector: { a: 'b' }, ports: PORTS };
    expect(readService(service(spec, 'a b'))).toBeUndefined();
    expect(readService(service(spec, { toString: 'x' }))).toBeUndefined();
    expect(readService({ ...service(spec), apiVersion: 'serving.knative.dev/v1' })).toBeUndefined();
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

  it('is kept where it tells a protocol that the name of the target does not tell', () => {
    expect(digest.text).toBe('web app=web 6500:scaler-grpc,web:h2c,http,53/UDP,80');
    expect(digest.targetPorts.map(({ says }) => says)).toEqual([['scaler-grpc'], ['h2c'], [], [], []]);
  });

  it('is known of a headless Service that also sends traffic to Pods that are not ready, with a mark', () => {
    const headless = digestOf({
      selector: { app: 'web' },
      clusterIP: 'None',
      publishNotReadyAddresses: true,
      ports: [{ port: 5432, targetPort: 'client', name: 'tcp-postgresql' }],
    });
    expect(headless.text).toBe('!web app=web client:tcp-postgresql');
    expect([headless.name, headless.needsReadyPods, digest.needsReadyPods]).toEqual(['web', false, true]);
    const hints = portHintsOf([headless], labelsOf({ app: 'web' }));
    expect(hints({ name: 'client', number: 5433 })).toEqual([{ service: 'web', text: 'tcp-postgresql' }]);
  });

  it('is known by number and by name, for the Pods that the Service selects', () => {
    const hints = portHintsOf([digest], labelsOf({ app: 'web' }));
    expect(hints({ name: undefined, number: 6500 })).toEqual([{ service: 'web', text: 'scaler-grpc' }]);
    expect(hints({ name: 'web', number: 6500 }).map(({ text }) => text)).toEqual(['scaler-grpc', 'h2c']);
    expect(hints({ name: 'http', number: 80 })).toEqual([]);
    expect(portHintsOf([digest], labelsOf({ app: 'api' }))({ name: 'web', number: 6500 })).toEqual([]);
  });
});
