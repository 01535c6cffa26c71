import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import { hasMeshProbe, mayHaveProbes, probeOf, timedProbe } from '../../../src/engine/workload/pod.ts';
import { asCreated, readPod, readPods, withProbePorts, withProbes } from '../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Container, Pod } from '../../../src/engine/workload/pod.ts';

const kindOf = (group: string, kind: string): WorkloadKind => workloadKind(group, kind, KNOWN_KINDS) ?? POD_KIND;
const DEPLOYMENT = kindOf('apps', 'Deployment');
const JOB = kindOf('batch', 'Job');
const KNATIVE = kindOf('serving.knative.dev', 'Service');

const podOf = (spec: unknown, metadata?: unknown, kind = POD_KIND): Pod =>
  readPod({ spec, ...(metadata !== undefined && { metadata }) }, kind);

const http = { httpGet: { path: '/live', port: 8080 } };

const proxy = (list: string, more: JsonObject = {}): JsonObject => ({
  name: 'istio-proxy',
  env: [{ name: 'ISTIO_KUBE_APP_PROBERS', value: list }],
  ...more,
});

describe('a Pod', () => {
  it('has the containers of the three lists in the order of the API server, with their places', () => {
    const pod = podOf({
      ephemeralContainers: [{ name: 'shell' }],
      initContainers: [{ name: 'once' }, { name: 'helper', restartPolicy: 'Always' }],
      containers: [{ name: 'app' }, 'no container', proxy('{}')],
    });
    expect(pod.containers.map(({ name, role, list, index }) => [name, role, list, index])).toEqual([
      ['app', 'application', 'containers', 0],
      ['istio-proxy', 'mesh', 'containers', 2],
      ['once', 'init', 'initContainers', 0],
      ['helper', 'sidecar', 'initContainers', 1],
      ['shell', 'ephemeral', 'ephemeralContainers', 0],
    ]);
    expect(pod.containers.filter(mayHaveProbes).map(({ name }) => name)).toEqual(['app', 'helper']);
  });

  it('has places below the path of its template', () => {
    const { place, containers } = readPod({ spec: { containers: [{ livenessProbe: http }] } }, DEPLOYMENT, [
      'spec',
      'template',
    ]);
    expect(formatPath(place.path())).toBe('spec.template.spec');
    expect(formatPath(containers[0]?.probes[0]?.place.path('httpGet') ?? [])).toBe(
      'spec.template.spec.containers[0].livenessProbe.httpGet',
    );
  });

  it.each([
    ['no restartPolicy', {}, POD_KIND, true],
    ['null', { restartPolicy: null }, POD_KIND, true],
    ['Always', { restartPolicy: 'Always' }, POD_KIND, true],
    ['OnFailure', { restartPolicy: 'OnFailure' }, POD_KIND, false],
    ['a Job', {}, JOB, false],
  ])('runs for ever or not: %s', (_, spec, kind, expected) => {
    expect(podOf(spec, undefined, kind).runsForever).toBe(expected);
  });

  it.each([
    [undefined, 30],
    [null, 30],
    [0, 0],
    [90, 90],
    ['90', undefined],
    [-1, undefined],
  ])('with the grace period %j gets %s s to end', (terminationGracePeriodSeconds, expected) => {
    expect(podOf({ terminationGracePeriodSeconds }).graceSeconds).toBe(expected);
  });

  it('uses the network of its node only where it says true', () => {
    expect([true, 'true', undefined].map((hostNetwork) => podOf({ hostNetwork }).hostNetwork)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has the labels and annotations that are texts, and the names of all labels', () => {
    const pod = podOf({}, { labels: { app: 'web', count: 3 }, annotations: { a: 'b', c: 1 }, ownerReferences: [{}] });
    expect(['app', 'count', 'constructor'].map((name) => pod.labels.get(name))).toEqual(['web', undefined, undefined]);
    expect(pod.labelNames).toEqual(['app', 'count']);
    expect([...pod.annotations]).toEqual([['a', 'b']]);
    expect(pod.hasOwner).toBe(true);
  });

  it.each([[undefined], [null], ['text'], [[]], [7]])('is empty where metadata and spec are %j', (value) => {
    const pod = podOf(value, value);
    expect([pod.containers, pod.labelNames, [...pod.annotations], pod.hasOwner, pod.graceSeconds]).toEqual([
      [],
      [],
      [],
      false,
      30,
    ]);
    expect(pod.main).toEqual({ kind: 'no-tcp-port', candidates: [] });
  });

  it('reads own members only', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"livenessProbe":{"httpGet":{"port":1}},"image":"x"},"name":"app"}',
    ) as JsonObject;
    const [container] = podOf({ containers: [hostile] }).containers;
    expect([container?.image, container?.written]).toEqual(['', []]);
    expect(podOf({}, { labels: {} }).labels.get('toString')).toBeUndefined();
  });

  it('leaves the object as it is', () => {
    const spec = { containers: [{ name: 'app', livenessProbe: http, ports: [{ containerPort: 80 }] }] };
    const before = JSON.stringify(spec);
    expect(podOf(spec).spec).not.toEqual(spec);
    expect(JSON.stringify(spec)).toBe(before);
  });

  it('has the main container that the annotation names, else the only one with a TCP port', () => {
    const spec = { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }, { name: 'b' }] };
    const named = (name: string): unknown =>
      podOf(spec, { annotations: { 'kubectl.kubernetes.io/default-container': name } }).main;
    expect(podOf(spec).main).toMatchObject({ kind: 'found', container: { name: 'a' } });
    expect(named('b')).toMatchObject({ kind: 'found', container: { name: 'b' } });
    expect(named('')).toMatchObject({ kind: 'found', container: { name: 'a' } });
    expect(named('c')).toEqual({ kind: 'unknown-default-container', named: 'c', candidates: ['a', 'b'] });
  });
});

describe('a container with the name of a mesh proxy', () => {
  const spec = { containers: [proxy('{}'), { name: 'app' }], ephemeralContainers: [{ name: 'istio-proxy' }] };
  const rolesIn = (pod: Pod): unknown => pod.containers.map(({ role }) => role);

  it("is the injector's in a Pod that carries the work of the injector, and the author's in a template", () => {
    expect(rolesIn(podOf(spec))).toEqual(['mesh', 'application', 'ephemeral']);
    expect(rolesIn(podOf(spec, {}, DEPLOYMENT))).toEqual(['application', 'application', 'ephemeral']);
    expect(rolesIn(podOf({ containers: [{ name: 'istio-proxy' }] }))).toEqual(['application']);
  });

  it('gets no probes in a Pod and in a template, and all other containers stay', () => {
    for (const kind of [POD_KIND, DEPLOYMENT]) {
      const pod = podOf({ ...spec, containers: [{ name: 'istio-proxy' }, { name: 'app' }] }, {}, kind);
      expect(rolesIn(asCreated(pod))).toEqual(['mesh', 'application', 'ephemeral']);
      expect(asCreated(pod).containers[1]).toBe(pod.containers[1]);
      const others = podOf({ containers: [{ name: 'app' }] }, {}, kind);
      expect(asCreated(others)).toBe(others);
    }
  });

  it('has probes of the mesh where they are exactly as the mesh writes them', () => {
    const ready = (port: unknown, more = {}, members = {}): Container => {
      const readinessProbe = { httpGet: { path: '/healthz/ready', port, ...more } };
      const [container] = podOf({ containers: [proxy('{}', { readinessProbe, ...members })] }).containers;
      if (container === undefined) throw new Error('no container');
      return container;
    };
    expect(hasMeshProbe(ready(15021))).toBe(true);
    expect(ready(15021).probes).toEqual([]);
    expect(ready(15021).written).toHaveLength(1);
    for (const other of [ready(8080), ready('15021'), ready(15021, { host: 'x' }), ready(15021, {}, { env: [] })]) {
      expect(hasMeshProbe(other)).toBe(false);
      expect(other.probes).toHaveLength(1);
    }
  });
});

describe('a probe that Istio has redirected', () => {
  const listed = { httpGet: { path: '/ready', port: 9090 } };
  const readinessProbe = {
    httpGet: { path: '/app-health/app/readyz', port: 15020, scheme: 'HTTP' },
    timeoutSeconds: 7,
  };
  const injected = (kind = POD_KIND): Pod =>
    podOf(
      { containers: [{ name: 'app', readinessProbe }, proxy(JSON.stringify({ '/app-health/app/readyz': listed }))] },
      {},
      kind,
    );
  const probeIn = (pod: Pod): unknown => {
    const probe = pod.containers[0]?.probes[0];
    const { handler, isOfMesh, numbers } = probe ?? {};
    return {
      asks: handler?.kind === 'httpGet' && [handler.port, handler.path],
      isOfMesh,
      times: numbers?.timeoutSeconds,
    };
  };

  it('is judged as the listed probe with its own times in a Pod, and as it is written in a template', () => {
    expect(probeIn(injected())).toEqual({ asks: [9090, '/ready'], isOfMesh: true, times: 7 });
    expect(injected().containers[0]?.written[0]?.written).toBe(readinessProbe);
    const asWritten = [15020, '/app-health/app/readyz'];
    expect(probeIn(injected(DEPLOYMENT))).toEqual({ asks: asWritten, isOfMesh: false, times: 7 });
  });
});

describe('the templates of one object', () => {
  it('share the budget for their commands, in their order', () => {
    const script = (letter: string): JsonObject => ({
      spec: {
        containers: [{ livenessProbe: { exec: { command: Array.from({ length: 3 }, () => letter.repeat(4000)) } } }],
      },
    });
    const [first, second] = readPods(
      [script('a'), script('b')].map((template) => ({ template, path: [] })),
      POD_KIND,
    );
    // The second is asked first.
    const isWhole = (pod: Pod | undefined): unknown => pod?.containers[0]?.probes[0]?.command.isWhole;
    expect([isWhole(second), isWhole(first)]).toEqual([false, true]);
  });
});

describe('a Pod with other probes', () => {
  const spec = {
    containers: [{ name: 'app', livenessProbe: http, ports: [{ containerPort: 80 }] }, { name: 'other' }],
  };
  const first = { list: 'containers', index: 0 } as const;

  it('has them with the defaults of the API server, and the Pod before has not', () => {
    const before = podOf(spec);
    const probe = { tcpSocket: { port: 80 } };
    const after = withProbes(before, [{ container: first, kind: 'readinessProbe', probe }]);
    const [app, other] = after.containers;
    expect(app?.probes.map(({ kind, timing, container }) => [kind, timing?.periodSeconds, container === app])).toEqual([
      ['livenessProbe', 10, true],
      ['readinessProbe', 10, true],
    ]);
    expect(app && probeOf(app, 'readinessProbe')?.written).toBe(probe);
    expect(other).toBe(before.containers[1]);
    expect(before.containers[0]?.probes).toHaveLength(1);
    expect(after.spec).toEqual(
      podOf({ containers: [{ ...spec.containers[0], readinessProbe: probe }, spec.containers[1]] }).spec,
    );
    expect(before.spec).toEqual(podOf(spec).spec);
  });

  it('lacks a probe that is taken out', () => {
    const after = withProbes(podOf(spec), [{ container: first, kind: 'livenessProbe', probe: undefined }]);
    expect(after.containers[0]?.written).toEqual([]);
    expect(after.spec).toEqual(
      podOf({ containers: [{ ...spec.containers[0], livenessProbe: undefined }, spec.containers[1]] }).spec,
    );
  });

  it('is the same without a change', () => {
    const pod = podOf(spec);
    expect(withProbes(pod, [])).toBe(pod);
  });

  it('gets the port of Knative where a probe has none', () => {
    const probe = { httpGet: { path: '/' } };
    const portOf = (ports: unknown, own?: JsonObject): unknown => {
      const pod = podOf({ containers: [{ ports, livenessProbe: own }] }, {}, KNATIVE);
      const [container] = own
        ? pod.containers
        : withProbes(pod, [{ container: first, kind: 'livenessProbe', probe }]).containers;
      const handler = container && timedProbe(container, 'livenessProbe')?.handler;
      return handler?.kind === 'httpGet' ? handler.port : handler;
    };
    expect([portOf([{ containerPort: 9000 }]), portOf(undefined), portOf([{ containerPort: 9000 }], probe)]).toEqual([
      9000, 8080, 9000,
    ]);
    expect(portOf(undefined, { httpGet: { port: 0 } })).toBe(8080);
    expect(portOf(undefined, { httpGet: { port: 81 } })).toBe(81);
  });
});

it.each([{}, { containers: null }, { containers: 'web' }])('no port is filled into %j, which has no list', (spec) =>
  expect(withProbePorts(spec, 8080)).toBe(spec),
);
