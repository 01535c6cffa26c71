import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { clusterPolicyDocument, pod, policyDocument } from '../../support/worlds.ts';
import { findings, httpProbe } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SELECTOR = { app: 'web' };

function service(port: JsonObject, spec: JsonObject = {}, name = 'web', namespace = 'apps'): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: SELECTOR, ports: [port], ...spec },
  };
}

function podOf(
  containers: readonly JsonObject[],
  spec: JsonObject = {},
  labels: JsonObject = { app: 'web', tier: 'x' },
): JsonObject {
  return pod(containers, { metadata: { labels }, spec });
}

const app = (ports: readonly JsonObject[], members: JsonObject = {}): JsonObject => ({
  name: 'app',
  image: 'example.test/app:1',
  ports,
  ...members,
});

/** The containers with a finding. */
function found(object: JsonObject, services?: readonly JsonObject[]): string[] {
  return findings('service-readiness', object, {}, services).map(({ message }) => message);
}

const message = (container: string, name: string, port: string): string =>
  `container "${container}" has no readinessProbe, but Service "${name}" sends traffic to its port ${port}`;

describe('service-readiness', () => {
  const http = [{ name: 'http', containerPort: 8080 }];

  it('finds a container that a Service sends traffic to, by name and by number', () => {
    for (const port of [{ port: 80, targetPort: 'http' }, { port: 80, targetPort: 8080 }, { port: 8080 }])
      expect(found(podOf([app(http)]), [service(port)])).toEqual([message('app', 'web', 'http (8080)')]);
  });

  it('names the first of several Services, and finds a container once', () => {
    const services = [
      service({ port: 1 }, {}, 'a'),
      service({ port: 8080 }, {}, 'b'),
      service({ port: 8080 }, {}, 'c'),
    ];
    expect(found(podOf([app(http)]), services)).toEqual([message('app', 'b', 'http (8080)')]);
  });

  it('is silent without knowledge of Services, and for Services of other namespaces, labels and ports', () => {
    expect(found(podOf([app(http)]))).toEqual([]);
    expect(found(podOf([app(http)]), [])).toEqual([]);
    expect(found(podOf([app(http)]), [service({ port: 8080 }, {}, 'web', 'other')])).toEqual([]);
    expect(found(podOf([app(http)]), [service({ port: 8080 }, { selector: { app: 'web', tier: 'y' } })])).toEqual([]);
    expect(found(podOf([app(http)], {}, {}), [service({ port: 8080 })])).toEqual([]);
    expect(found(podOf([app(http)]), [service({ port: 80, targetPort: 'web' })])).toEqual([]);
    expect(found(podOf([app(http)]), [service({ port: 8081 })])).toEqual([]);
    expect(found(podOf([app([])]), [service({ port: 8080 })])).toEqual([]);
  });

  it('is silent for a container with a readiness probe', () =>
    expect(found(podOf([app(http, { readinessProbe: httpProbe() })]), [service({ port: 8080 })])).toEqual([]));

  it('finds the container that declares the port, not its neighbours', () => {
    const neighbour = { name: 'proxy', ports: [{ name: 'proxy', containerPort: 9000 }] };
    expect(found(podOf([app(http), neighbour]), [service({ port: 80, targetPort: 'proxy' })])).toEqual([
      message('proxy', 'web', 'proxy (9000)'),
    ]);
  });

  it('takes the first container that declares a name, as Kubernetes does', () => {
    const second = { name: 'second', ports: [{ name: 'http', containerPort: 9000 }] };
    const services = [service({ port: 80, targetPort: 'http' })];
    expect(found(podOf([app(http), second]), services)).toEqual([message('app', 'web', 'http (8080)')]);
    expect(found(podOf([app(http, { readinessProbe: httpProbe() }), second]), services)).toEqual([]);
  });

  it('finds a native sidecar, and takes names of containers first', () => {
    const sidecar = { name: 'sidecar', restartPolicy: 'Always', ports: [{ name: 'http', containerPort: 9000 }] };
    const init = { name: 'init', ports: [{ name: 'http', containerPort: 7000 }] };
    const services = [service({ port: 80, targetPort: 'http' })];
    expect(found(podOf([app([])], { initContainers: [init, sidecar] }), services)).toEqual([
      message('sidecar', 'web', 'http (9000)'),
    ]);
    expect(found(podOf([app(http)], { initContainers: [sidecar] }), services)).toEqual([
      message('app', 'web', 'http (8080)'),
    ]);
  });

  it('is silent for a Service all of whose ports are for metrics', () => {
    const metrics = (port: JsonObject): JsonObject => service(port, {}, 'metrics');
    for (const port of [
      { port: 8080, name: 'metrics' },
      { port: 80, targetPort: 'http', name: 'http-metrics' },
      { port: 80, targetPort: 'http', name: 'prometheus', appProtocol: 'unknown' },
    ])
      expect(found(podOf([app(http)]), [metrics(port)])).toEqual([]);
    const own = [{ name: 'metrics', containerPort: 9090 }];
    expect(found(podOf([app(own)]), [service({ port: 9090 })])).toEqual([]);
    expect(found(podOf([app(own)]), [service({ port: 80, targetPort: 'metrics' })])).toEqual([]);
    expect(found(podOf([app(own)]), [service({ port: 80, targetPort: 'metrics', name: 'http' })])).toEqual([]);
    expect(found(podOf([app(http)]), [service({ port: 9402, targetPort: 8080, name: 'tcp-metrics' })])).toEqual([]);
    const both = {
      ports: [
        { port: 9090, name: 'metrics' },
        { port: 8080, name: 'http' },
      ],
    };
    expect(found(podOf([app(http)]), [service({}, both)])).toHaveLength(1);
  });

  it('is a note for a proxy that forwards to another container of its Pod', () => {
    const levelOf = (image: string): unknown =>
      findings('service-readiness', podOf([app(http, { image })]), {}, [service({ port: 8080 })]).map(
        ({ level }) => level,
      );
    expect(levelOf('registry.example/brancz/kube-rbac-proxy:v0.18.0@sha256:0')).toEqual(['Audit']);
    expect(levelOf('oauth2-proxy')).toEqual(['Audit']);
    expect(levelOf('example.test/kube-rbac-proxy-exporter:1')).toEqual([undefined]);
  });

  it('compares protocols', () => {
    const dns = [{ name: 'dns', containerPort: 53, protocol: 'UDP' }, { containerPort: 8080 }];
    const udp = service({ port: 53, protocol: 'UDP' });
    expect(findings('service-readiness', podOf([app(dns)]), {}, [udp])).toMatchObject([
      {
        message: message('app', 'web', 'dns (53)/UDP'),
        remedy: 'write readinessProbe: { httpGet: { path: <endpoint>, port: 8080 } }',
      },
    ]);
    expect(found(podOf([app(dns)]), [service({ port: 53 })])).toEqual([]);
    expect(found(podOf([app(dns)]), [service({ port: 53, targetPort: 'dns' })])).toEqual([]);
    expect(found(podOf([app(dns)]), [service({ port: 53, targetPort: 'dns', protocol: 'UDP' })])).toHaveLength(1);
  });

  it('knows the protocol of a port in its advice, and gives no edit', () => {
    const redis = podOf([app([{ name: 'redis', containerPort: 6379 }])]);
    const [finding] = findings('service-readiness', redis, {}, [service({ port: 6379 })]);
    expect(finding?.remedy).toBe('write readinessProbe: { tcpSocket: { port: redis } }');
    expect(finding?.edits).toBeUndefined();
  });

  it('judges after defaulting, with the Services among the files', () => {
    const text = (...items: JsonObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const metadata = { name: 'web', labels: { app: 'web' } };
    const rest = { apiVersion: 'v1', kind: 'Service', spec: service({ port: 8080 })['spec'] };
    const files = [
      { file: 'a.json', text: text({ ...podOf([app(http)]), metadata }) },
      { file: 'b.json', text: text({ ...rest, metadata: { name: 'web' } }, { ...rest, metadata: { name: 'web' } }) },
    ];
    const ids = (policies: JsonObject[]): string[] => {
      const { violations, problems } = checkTexts(files, [{ file: 'p.json', text: text(...policies) }], {
        namespace: 'shop',
      });
      expect(problems).toEqual([]);
      return violations.map(({ check, action }) => `${check} ${action}`);
    };
    expect(ids([])).toEqual(['service-readiness Warn']);
    expect(ids([clusterPolicyDocument({ checks: { 'service-readiness': { action: 'Deny' } } })])).toEqual([
      'service-readiness Deny',
    ]);
    expect(ids([policyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/ready' } }, 'p', 'shop')])).toEqual([]);
  });

  it('needs one pass over the Services for a workload of any size', () => {
    const containers = Array.from({ length: 2000 }, (_, index) => app([{ containerPort: (index % 60_000) + 1 }]));
    const services = Array.from({ length: 2000 }, (_, index) => service({ port: index + 1 }, {}, `s-${index}`));
    expect(found(podOf(containers), services)).toHaveLength(2000);
    expect(CHECK_CATALOGUE['service-readiness']?.action).toBe('Warn');
  });
});
