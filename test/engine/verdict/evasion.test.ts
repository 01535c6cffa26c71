import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/engine/verdict/judge.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/custom-kinds.ts';
import { podTemplatesOf, workloadKindOfManifest } from '../../../src/engine/workload/kinds.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

function deniedBy(object: JsonObject, ...documents: JsonObject[]): string[] {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) throw new Error('no workload');
  const subject = { object, kind, templates: podTemplatesOf(object, kind), namespace: 'apps' };
  const { violations } = judge(subject, policySet(...documents), true, NOW);
  return violations.filter(({ action }) => action === 'Deny').map(({ check, container }) => `${check} ${container}`);
}

function deployment(containers: JsonObject[], annotations: JsonObject = {}): JsonObject {
  const template = { metadata: { labels: { app: 'web' }, annotations }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'apps' },
    spec: { template },
  };
}

const bound = { action: 'Deny', floor: 'Deny' };
const floors = clusterPolicyDocument({
  checks: {
    'required-liveness': { ...bound, containers: 'all', sidecars: true },
    'required-readiness': { ...bound, containers: 'all' },
    'probe-handler': { ...bound, allowed: ['httpGet'] },
    'probe-bounds': { ...bound, livenessProbe: { periodSeconds: { minimum: 10 } } },
    'exec-forbidden': { ...bound, names: ['curl'] },
  },
});

it('a namespace policy that changes the parameters of five floored checks changes no denial', () => {
  const livenessProbe = { exec: { command: ['curl', 'localhost'] }, periodSeconds: 5, failureThreshold: 9 };
  const object = deployment([appContainer({ livenessProbe }), { name: 'other', image: 'x' }]);
  const spec = object['spec'] as { template: { spec: JsonObject } };
  const sidecar = { name: 'side', image: 'x', restartPolicy: 'Always', readinessProbe: { tcpSocket: { port: 1 } } };
  const withSidecar = {
    ...object,
    spec: { template: { ...spec.template, spec: { ...spec.template.spec, initContainers: [sidecar] } } },
  };
  const laxer = policyDocument({
    checks: {
      'required-liveness': { containers: 'main', sidecars: false },
      'required-readiness': { containers: 'main' },
      'probe-handler': { allowed: ['exec', 'tcpSocket'] },
      'probe-bounds': { livenessProbe: { periodSeconds: { minimum: 1 } } },
      'exec-forbidden': { names: ['nothing'] },
    },
  });
  const denied = deniedBy(withSidecar, floors);
  expect(denied).toEqual([
    'required-liveness other',
    'required-liveness side',
    'required-readiness app',
    'required-readiness other',
    'probe-handler app',
    'probe-handler side',
    'probe-bounds app',
    'exec-forbidden app',
  ]);
  expect(deniedBy(withSidecar, floors, laxer)).toEqual(denied);
});

describe('a container that is named like a mesh proxy', () => {
  const probes = { livenessProbe: { exec: { command: ['curl', 'x'] }, periodSeconds: 10, timeoutSeconds: 5 } };
  const readinessProbe = { httpGet: { path: '/healthz/ready', port: 15021 }, failureThreshold: 4 };
  const proxy = (members: JsonObject): JsonObject => ({ name: 'istio-proxy', image: 'x', ...members });
  const status = { 'sidecar.istio.io/status': '{"containers":["istio-proxy"]}' };
  const fine = appContainer({
    livenessProbe: { httpGet: { path: '/live', port: 'http' }, periodSeconds: 10, failureThreshold: 6 },
    readinessProbe: { httpGet: { path: '/up', port: 'http' }, periodSeconds: 10, failureThreshold: 3 },
  });

  it('is an application container in a template without the annotation of the mesh', () => {
    expect(deniedBy(deployment([fine, proxy(probes)]), floors)).toEqual([
      'required-readiness istio-proxy',
      'probe-handler istio-proxy',
      'exec-forbidden istio-proxy',
    ]);
    expect(deniedBy(deployment([proxy({})], { 'linkerd.io/proxy-version': 'x' }), floors)).toContain(
      'required-liveness istio-proxy',
    );
  });

  it.each([
    ['a template with the annotation', (container: JsonObject) => deployment([fine, container], status)],
    ['a Pod', (container: JsonObject) => pod([fine, container])],
  ])('keeps the probes of the mesh in %s, and no others past a floor', (_, object) => {
    expect(deniedBy(object(proxy({ readinessProbe })), floors)).toEqual([]);
    expect(deniedBy(object(proxy({ readinessProbe, ...probes })), floors)).toEqual([
      'probe-handler istio-proxy',
      'exec-forbidden istio-proxy',
    ]);
  });

  it('is no proxy without a probe of the mesh, and owes what a floor requires', () =>
    expect(deniedBy(deployment([fine, proxy({})], status), floors)).toEqual([
      'required-liveness istio-proxy',
      'required-readiness istio-proxy',
    ]));

  it('is left alone by checks without a floor where the mesh puts it', () => {
    const plain = clusterPolicyDocument({ checks: { 'exec-forbidden': { action: 'Deny', names: ['curl'] } } });
    expect(deniedBy(deployment([fine, proxy(probes)], status), plain)).toEqual([]);
    expect(deniedBy(deployment([fine, proxy(probes)]), plain)).toEqual(['exec-forbidden istio-proxy']);
  });
});

it('a grace period beyond 2^53 is no less long', () => {
  const object = deployment([
    appContainer({
      livenessProbe: {
        httpGet: { path: '/live', port: 'http' },
        failureThreshold: 6,
        terminationGracePeriodSeconds: 9_007_199_254_740_993,
      },
    }),
  ]);
  const slow = clusterPolicyDocument({ checks: { 'slow-detection': { action: 'Deny', floor: 'Deny' } } });
  expect(deniedBy(object, slow)).toEqual(['slow-detection app']);
});
