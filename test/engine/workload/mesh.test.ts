import { describe, expect, it } from 'vitest';
import { isMeshProbe, meshObstacle, meshProxyTest } from '../../../src/engine/workload/mesh.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { pod } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const asks = (port: unknown, path: unknown, more: JsonObject = {}): JsonObject => ({
  httpGet: { port, path, ...more },
});

describe('a probe that a mesh has written', () => {
  it.each<[string, JsonObject, boolean]>([
    ['istio-proxy', asks(15021, '/healthz/ready'), true],
    ['istio-proxy', asks(15020, '/healthz/live'), true],
    ['istio-proxy', asks(15022, '/healthz/ready'), false],
    ['istio-proxy', asks(15021, '/healthz'), false],
    ['linkerd-proxy', asks(4191, '/live'), true],
    ['linkerd-proxy', asks(4190, '/live'), false],
    ['consul-dataplane', asks(21_000, '/ready'), true],
    ['consul-dataplane', asks(20_000, '/ready'), false],
    ['kuma-sidecar', asks(9901, '/ready'), true],
    ['kuma-sidecar', asks(9902, '/ready'), true],
    ['kuma-sidecar', asks(9903, '/ready'), false],
    ['web', asks(15021, '/healthz/ready'), false],
    ['web', asks(15020, '/app-health/web/livez'), true],
    ['web', asks(15021, '/app-health/web/readyz'), true],
    ['web', asks(15020, '/app-health/web/startupz'), true],
    ['web', asks(15020, '/app-health/api/livez'), false],
    ['web', asks(15020, '/app-health/web/other'), false],
    ['web', asks('15020', '/app-health/web/livez'), false],
    ['web', asks(15020, undefined), false],
    ['web', asks(15020, '/app-health/web/livez', { host: '' }), true],
    ['web', asks(15020, '/app-health/web/livez', { host: 'x' }), false],
    ['web', { ...asks(15020, '/app-health/web/livez'), exec: null }, true],
    ['web', { ...asks(15020, '/app-health/web/livez'), exec: {} }, false],
    ['web', { exec: { command: ['true'] } }, false],
  ])('of %s is %j: %s', (container, probe, is) => expect(isMeshProbe(container, probe)).toBe(is));
});

describe('the proxy of a mesh', () =>
  it('is known by its name in a Pod, and in a template by the annotation of its injector, too', () => {
    const template = { metadata: { annotations: { 'linkerd.io/proxy-version': '2.14' } } };
    const names = ['istio-proxy', 'linkerd-proxy', 'consul-dataplane', 'kuma-sidecar', 'web'];
    expect(names.filter(meshProxyTest({}, true))).toEqual(names.slice(0, 4));
    expect(names.filter(meshProxyTest(template, false))).toEqual(['linkerd-proxy']);
    expect(names.filter(meshProxyTest({}, false))).toEqual([]);
  }));

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
