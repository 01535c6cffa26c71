import { describe, expect, it, vi } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind, type WorkloadKind } from '../../../src/engine/workload/kinds.ts';
import { hasMeshProbe, mayHaveProbes, probeOf, timedProbe } from '../../../src/engine/workload/pod.ts';
import { asCreated, readPod, readPods, withProbes } from '../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Container, Pod } from '../../../src/engine/workload/pod.ts';

const kindOf = (group: string, kind: string): WorkloadKind => workloadKind(group, kind, KNOWN_KINDS) ?? POD_KIND;
const DEPLOYMENT = kindOf('apps', 'Deployment');
const JOB = kindOf('batch', 'Job');
const KNATIVE = kindOf('serving.knative.dev', 'Service');

const podOf = (spec: unknown, metadata?: unknown, kind = POD_KIND): Pod =>
  readPod({ spec, ...(metadata !== undefined && { metadata }) }, kind);

const http = { httpGet: { path: '/live', port: 8080 } };

describe('a Pod', () => {
  it('has the containers of the three lists in the order of the API server, with their places', () => {
    const pod = podOf({
      ephemeralContainers: [{ name: 'shell' }],
      initContainers: [{ name: 'once' }, { name: 'helper', restartPolicy: 'Always' }],
      containers: [{ name: 'app' }, 'no container', { name: 'istio-proxy' }],
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
  const spec = { containers: [{ name: 'istio-proxy', livenessProbe: http }] };
  const roleIn = (pod: Pod): unknown => pod.containers[0]?.role;

  it("is the author's in a template without the annotation of the mesh, and the injector's in a Pod", () => {
    expect(roleIn(podOf(spec))).toBe('mesh');
    expect(roleIn(podOf(spec, {}, DEPLOYMENT))).toBe('application');
    expect(roleIn(podOf(spec, { annotations: { 'sidecar.istio.io/status': '' } }, DEPLOYMENT))).toBe('mesh');
  });

  it('is taken over when a controller creates the Pod, and all other containers stay', () => {
    const pod = podOf(
      { containers: [...spec.containers, { name: 'app' }], ephemeralContainers: spec.containers },
      {},
      DEPLOYMENT,
    );
    expect(asCreated(pod).containers.map(({ role }) => role)).toEqual(['mesh', 'application', 'ephemeral']);
    expect(asCreated(pod).containers[1]).toBe(pod.containers[1]);
    const others = podOf({ containers: [{ name: 'app' }] }, {}, DEPLOYMENT);
    expect(asCreated(others)).toBe(others);
  });

  it('is looked for in templates only: no container of a Pod is read for that', () => {
    const read = vi.fn(() => []);
    const pod = podOf(Object.defineProperty({}, 'containers', { get: read, enumerable: true }));
    expect(asCreated(pod)).toBe(pod);
    expect(read).not.toHaveBeenCalled();
  });

  it('has probes of the mesh where they are exactly as the mesh writes them', () => {
    const ready = (port: unknown, more = {}): Container => {
      const readinessProbe = { httpGet: { path: '/healthz/ready', port, ...more } };
      const [container] = podOf({ containers: [{ name: 'istio-proxy', readinessProbe }] }).containers;
      if (container === undefined) throw new Error('no container');
      return container;
    };
    expect([ready(15021), ready(8080), ready('15021'), ready(15021, { host: 'x' })].map(hasMeshProbe)).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(ready(15021).probes).toEqual([]);
    expect(ready(15021).written).toHaveLength(1);
  });
});

describe('the templates of one object', () => {
  it('share the budget for their commands, in their order', () => {
    const script = (letter: string): JsonObject => ({
      spec: {
        containers: [{ livenessProbe: { exec: { command: Array.from({ length: 12 }, () => letter.repeat(4000)) } } }],
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
