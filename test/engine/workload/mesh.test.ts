import { describe, expect, it } from 'vitest';
import {
  isProxyProbe,
  meshObstacle,
  meshProxyTest,
  originalProbe,
  redirectedProbes,
} from '../../../src/engine/workload/mesh.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const asks = (port: unknown, path: unknown, more: JsonObject = {}): JsonObject => ({
  httpGet: { port, path, ...more },
});
const times = {
  initialDelaySeconds: 1,
  timeoutSeconds: 3,
  periodSeconds: 15,
  successThreshold: 1,
  failureThreshold: 4,
};

describe("a probe of a mesh's proxy", () => {
  it.each<[string, JsonObject, boolean]>([
    ['istio-proxy', asks(15021, '/healthz/ready'), true],
    ['istio-proxy', asks(15020, '/healthz/live'), true],
    ['istio-proxy', asks(15022, '/healthz/ready'), false],
    ['istio-proxy', asks(15021, '/healthz'), false],
    ['istio-proxy', asks(15021, undefined), false],
    ['istio-proxy', asks('15021', '/healthz/ready'), false],
    ['linkerd-proxy', asks(4191, '/live'), true],
    ['linkerd-proxy', asks(4190, '/live'), false],
    ['consul-dataplane', asks(21_000, '/ready'), true],
    ['consul-dataplane', asks(20_000, '/ready'), false],
    ['consul-dataplane', { tcpSocket: { port: 20_000 } }, true],
    ['consul-dataplane', { tcpSocket: { port: 20_000, host: 'x' } }, false],
    ['consul-dataplane', { tcpSocket: { port: 21_000 } }, false],
    ['kuma-sidecar', asks(9901, '/ready'), true],
    ['kuma-sidecar', asks(9902, '/ready'), true],
    ['kuma-sidecar', asks(9903, '/ready'), false],
    ['web', asks(15021, '/healthz/ready'), false],
    ['linkerd-proxy', asks(4191, '/live', { host: '', scheme: 'HTTP' }), true],
    ['linkerd-proxy', asks(4191, '/live', { host: 'x' }), false],
    ['linkerd-proxy', asks(4191, '/live', { scheme: 'HTTPS' }), false],
    ['linkerd-proxy', asks(4191, '/live', { httpHeaders: [] }), false],
    ['linkerd-proxy', { ...asks(4191, '/live'), exec: null }, true],
    ['linkerd-proxy', { ...asks(4191, '/live'), exec: {} }, false],
    ['linkerd-proxy', { exec: { command: ['true'] } }, false],
    ['linkerd-proxy', { ...asks(4191, '/live'), timeoutSeconds: 11 }, false],
    ['linkerd-proxy', { ...asks(4191, '/live'), failureThreshold: 601 }, false],
    ['linkerd-proxy', { ...asks(4191, '/live'), periodSeconds: 'x' }, false],
    ['linkerd-proxy', { ...asks(4191, '/live'), terminationGracePeriodSeconds: 1 }, false],
  ])('of %s is %j: %s', (name, probe, is) => expect(isProxyProbe(name, { ...times, ...probe })).toBe(is));
});

describe('a probe that Istio has redirected', () => {
  const http = { path: '/ready', port: 8080 };
  const original = (probe: JsonObject, listed: unknown = { httpGet: http }, at = '/app-health/web/livez'): unknown =>
    originalProbe({ name: 'web', pod: { redirected: { [at]: listed } } }, 'livenessProbe', probe);
  const redirected = asks(15020, '/app-health/web/livez');

  it('has the listed handler, and the times of the Pod', () => {
    const probe = { ...redirected, periodSeconds: 7 };
    expect(original(probe, { httpGet: http, timeoutSeconds: 9 })).toMatchObject({ httpGet: http, periodSeconds: 7 });
    expect(original(probe, { httpGet: http, timeoutSeconds: 9 })).toMatchObject({ timeoutSeconds: 1 });
    expect(original(probe, { tcpSocket: { port: 1 } })).toMatchObject({ tcpSocket: { port: 1 } });
    expect(original(probe, { grpc: { port: 1 } })).not.toHaveProperty('httpGet');
    expect(original(asks(15021, '/app-health/web/livez', { host: '', scheme: 'HTTP' }))).toBeDefined();
    const httpHeaders = [{ name: 'Host', value: 'web' }];
    const headed = asks(15020, '/app-health/web/livez', { httpHeaders });
    expect(original(headed, { httpGet: { ...http, httpHeaders } })).toMatchObject({ httpGet: { httpHeaders } });
  });

  it.each<[string, JsonObject, unknown?, string?]>([
    ['is of another port', asks(8080, '/app-health/web/livez')],
    ['names its port', asks('15020', '/app-health/web/livez')],
    ['is of another container', asks(15020, '/app-health/api/livez'), undefined, '/app-health/api/livez'],
    ['is of another kind', asks(15020, '/app-health/web/readyz'), undefined, '/app-health/web/readyz'],
    ['asks another host', asks(15020, '/app-health/web/livez', { host: '10.0.0.1' })],
    ['asks over TLS', asks(15020, '/app-health/web/livez', { scheme: 'HTTPS' })],
    ['has other headers', asks(15020, '/app-health/web/livez', { httpHeaders: [{ name: 'a', value: 'b' }] })],
    ['has another handler, too', { ...redirected, exec: { command: ['true'] } }],
    ['has no path', asks(15020, undefined)],
    ['is not listed', redirected, undefined, '/app-health/web/readyz'],
    ['is listed as a command', redirected, { exec: { command: ['true'] } }],
    ['is listed with two handlers', redirected, { httpGet: http, tcpSocket: { port: 1 } }],
    ['is listed without a handler', redirected, {}],
    ['is listed as a text', redirected, 'x'],
  ])('is none when it %s', (_, probe, listed, at) => expect(original(probe, listed, at)).toBeUndefined());

  it('is none where no proxy lists probes', () =>
    expect(
      originalProbe({ name: 'web', pod: { redirected: undefined } }, 'livenessProbe', redirected),
    ).toBeUndefined());
});

describe("the list of Istio's proxy", () => {
  const variable = (value: unknown): JsonObject => ({ name: 'ISTIO_KUBE_APP_PROBERS', value });
  const proxy = (...env: readonly unknown[]): JsonObject => ({ name: 'istio-proxy', env });
  const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  it('is read from a container and from a native sidecar, and the last variable of the name counts', () => {
    expect(redirectedProbes({ containers: [{ name: 'web' }, proxy(variable('{}'))] })).toEqual({});
    const sidecar = { ...proxy(variable('{"a":1}')), restartPolicy: 'Always' };
    expect(redirectedProbes({ containers: [], initContainers: [sidecar] })).toEqual({ a: 1 });
    expect(redirectedProbes({ containers: [proxy(variable('{"a":1}'), variable('{"b":1}'))] })).toEqual({ b: 1 });
    expect(redirectedProbes({ containers: [proxy(variable(nested(5)))] })).toBeDefined();
  });

  it.each<[string, JsonObject]>([
    ['no proxy', { containers: [{ ...proxy(variable('{}')), name: 'web' }] }],
    ['an init container', { initContainers: [proxy(variable('{}'))] }],
    ['a container for debugging', { ephemeralContainers: [proxy(variable('{}'))] }],
    ['no variable', { containers: [proxy()] }],
    ['a reference', { containers: [proxy({ name: 'ISTIO_KUBE_APP_PROBERS', valueFrom: {} })] }],
    ['no text', { containers: [proxy(variable({}))] }],
    ['no JSON', { containers: [proxy(variable('{'))] }],
    ['no object', { containers: [proxy(variable('[]'))] }],
    ['too many levels', { containers: [proxy(variable(nested(6)))] }],
    ['30,000 levels', { containers: [proxy(variable(nested(30_000)))] }],
    ['too many characters', { containers: [proxy(variable(`{"a":"${'x'.repeat(65_536)}"}`))] }],
    ['containers that are no list', { containers: {} }],
  ])('is absent with %s', (_, spec) => expect(redirectedProbes(spec)).toBeUndefined());
});

describe('the proxy of a mesh', () => {
  const names = ['istio-proxy', 'linkerd-proxy', 'consul-dataplane', 'kuma-sidecar', 'web'];
  const proxies = (annotations: JsonObject, env: readonly JsonObject[] = [], kind = POD_KIND): string[] => {
    const containers = [{ name: 'web' }, { name: 'istio-proxy', env }];
    return names.filter(meshProxyTest(readPod(pod(containers, { metadata: { annotations } }), kind)));
  };
  const list = [{ name: 'ISTIO_KUBE_APP_PROBERS', value: '{}' }];
  const all = {
    'linkerd.io/proxy-version': '2.14',
    'consul.hashicorp.com/connect-inject-status': 'injected',
    'kuma.io/sidecar-injected': 'true',
  };
  const istio = { 'sidecar.istio.io/status': '{}' };

  it('is known by the annotation of its injector in a Pod, and Istio by its list of probes', () => {
    expect(proxies({})).toEqual([]);
    expect(proxies(all)).toEqual(names.slice(1, 4));
    expect(proxies(istio)).toEqual([]);
    expect(proxies({}, list)).toEqual(['istio-proxy']);
  });

  it('needs no list where the Pod tells Istio to redirect nothing', () => {
    const off = { 'sidecar.istio.io/rewriteAppHTTPProbers': 'false' };
    expect(proxies({ ...istio, ...off })).toEqual(['istio-proxy']);
    expect(proxies(off)).toEqual([]);
  });

  it('is never in a template', () => {
    const deployment = workloadKind('apps', 'Deployment', KNOWN_KINDS);
    expect(proxies({ ...all, ...istio }, list, deployment)).toEqual([]);
  });
});

describe('a probe that is added to a Pod now', () => {
  const obstacle = (containers: JsonObject[], annotations: JsonObject = {}, spec: JsonObject = {}) =>
    meshObstacle(readPod(pod([{ name: 'web' }, ...containers], { metadata: { annotations }, spec }), POD_KIND));
  const rewrite = (value: string): JsonObject => ({ 'sidecar.istio.io/rewriteAppHTTPProbers': value });

  it.each(['istio-proxy', 'consul-dataplane', 'kuma-sidecar'])('is not redirected where %s is there already', (name) =>
    expect(obstacle([{ name, image: 'x' }])).toContain(`the Pod already has ${name},`),
  );

  it('is redirected where the proxy comes later, redirects nothing, or only debugs', () => {
    expect(obstacle([])).toBeUndefined();
    expect(obstacle([{ name: 'istio-proxy', image: 'auto' }])).toBeUndefined();
    expect(obstacle([{ name: 'linkerd-proxy', image: 'x' }])).toBeUndefined();
    expect(obstacle([], {}, { ephemeralContainers: [{ name: 'istio-proxy', image: 'x' }] })).toBeUndefined();
  });

  it('is not redirected where an annotation says no as Go reads it', () => {
    for (const value of ['0', 'f', 'F', 'false', 'FALSE', 'False'])
      expect(obstacle([], rewrite(value))).toContain(`"${value}" keeps Istio from redirecting it`);
    for (const value of ['', 'true', 'no', 'falsch', '00']) expect(obstacle([], rewrite(value))).toBeUndefined();
  });
});
