import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../../src/base/json/field-path.ts';
import { endpointOf, handlerEdits } from '../../../../src/engine/checks/lib/endpoint.ts';
import { podWith, workloadOf } from '../workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';
import type { Probe } from '../../../../src/engine/workload/pod.ts';

function probesOf(members: JsonObject): readonly Probe[] {
  return workloadOf(podWith(members)).pod.containers[0]?.probes ?? [];
}

const endpoint = (livenessProbe: JsonObject, more: JsonObject = {}): string | undefined =>
  endpointOf(probesOf({ livenessProbe, ...more })[0] as Probe);
const http = (fields: JsonObject = {}): JsonObject => ({ httpGet: { path: '/live', port: 'http', ...fields } });
const headers = (...pairs: readonly (readonly [string, string])[]): JsonObject =>
  http({ httpHeaders: pairs.map(([name, value]) => ({ name, value })) });
const exec = (...command: readonly string[]): JsonObject => ({ exec: { command } });

describe('the target of a probe', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a port by its name and by its number', http(), http({ port: 8080 })],
    ['a path with and without its slash', http(), http({ path: 'live' })],
    ['a path and its URL', http(), http({ path: 'http://localhost/live' })],
    ['the default scheme', http(), http({ scheme: 'HTTP' })],
    ['no path and the root', http({ path: null }), http({ path: '/' })],
    ['names of headers in another case', headers(['Accept', 'a']), headers(['ACCEPT', 'a'])],
    ['headers in another order', headers(['A', 'a'], ['B', 'b']), headers(['b', 'b'], ['a', 'a'])],
    ['other numbers', { ...http(), periodSeconds: 3 }, http()],
    ['no service and an empty one', { grpc: { port: 1 } }, { grpc: { port: 1, service: '' } }],
  ])('is the same for %s', (_, one, other) => {
    expect(endpoint(one)).toBeDefined();
    expect(endpoint(one)).toBe(endpoint(other));
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['another port', http(), http({ port: 8081 })],
    ['a name that is not declared', http(), http({ port: 'web' })],
    ['another path', http(), http({ path: '/ready' })],
    ['another host', http(), http({ host: 'x' })],
    ['another scheme', http(), http({ scheme: 'HTTPS' })],
    ['another protocol', http(), http({ protocol: 'HTTP2' })],
    ['another header', headers(['A', 'a']), headers(['A', 'b'])],
    ['headers of one name in another order', headers(['A', 'a'], ['A', 'b']), headers(['A', 'b'], ['A', 'a'])],
    ['another handler', { tcpSocket: { port: 8080 } }, { grpc: { port: 8080 } }],
    ['another host of tcpSocket', { tcpSocket: { port: 1 } }, { tcpSocket: { port: 1, host: 'x' } }],
    ['another service', { grpc: { port: 1 } }, { grpc: { port: 1, service: 'x' } }],
    ['another mode', { grpc: { port: 1 } }, { grpc: { port: 1, mode: 'TLS' } }],
    ['other words', exec('a', 'b'), exec('a b')],
  ])('differs for %s', (_, one, other) => {
    expect([endpoint(one), endpoint(other)]).not.toContain(undefined);
    expect(endpoint(one)).not.toBe(endpoint(other));
  });

  it('is the name of a port where the ports cannot be read', () =>
    expect(endpoint(http(), { ports: 'x' })).toBe(endpoint(http(), { ports: [] })));

  it('is that of a probe without a port, too', () => expect(endpoint({ httpGet: {} })).toContain('""'));

  it.each<[string, JsonObject]>([
    ['a malformed member', http({ path: 7 })],
    ['a malformed header', http({ httpHeaders: ['x'] })],
    ['a path that is too long', http({ path: `/${'x'.repeat(4096)}` })],
    ['a header that is too long', headers(['A', 'x'.repeat(4097)])],
    ['a command that is too long', exec('x'.repeat(4097))],
    ['a command without words', exec()],
  ])('is unknown with %s', (_, probe) => expect(endpoint(probe)).toBeUndefined());
});

describe('edits of a handler', () => {
  /** The edits of the first probe, as lines. */
  function edits(members: JsonObject, fields: JsonObject, at = 0): string[] | undefined {
    const probe = probesOf(members)[at] as Probe;
    return handlerEdits(probe, fields).edits?.map(
      ({ path, value }) => `${formatPath(path.slice(3))} ${JSON.stringify(value)}`,
    );
  }

  it('give the probe the fields', () =>
    expect(edits({ livenessProbe: http() }, { port: 1, scheme: 'HTTPS' })).toEqual([
      'livenessProbe.httpGet.port 1',
      'livenessProbe.httpGet.scheme "HTTPS"',
    ]));

  it('give liveness and readiness of one endpoint the same fields', () => {
    const both = { livenessProbe: http(), readinessProbe: http() };
    expect(edits(both, { port: 1 })).toEqual(['livenessProbe.httpGet.port 1', 'readinessProbe.httpGet.port 1']);
    expect(edits(both, { port: 1 }, 1)).toEqual(['readinessProbe.httpGet.port 1', 'livenessProbe.httpGet.port 1']);
    const commands = { livenessProbe: exec('a'), readinessProbe: exec('a') };
    expect(edits(commands, { command: ['b'] })).toEqual([
      'livenessProbe.exec.command ["b"]',
      'readinessProbe.exec.command ["b"]',
    ]);
  });

  it('leave a startup probe alone, and are for it alone', () => {
    const both = { livenessProbe: http(), startupProbe: http() };
    expect(edits(both, { port: 1 })).toEqual(['livenessProbe.httpGet.port 1']);
    expect(edits(both, { port: 1 }, 1)).toEqual(['startupProbe.httpGet.port 1']);
    const three = { livenessProbe: http(), readinessProbe: http(), startupProbe: http() };
    expect(edits(three, { port: 1 }, 2)).toEqual(['startupProbe.httpGet.port 1']);
  });

  it('are for one probe where the endpoints differ before and after', () => {
    const both = { livenessProbe: http(), readinessProbe: http({ path: '/ready' }) };
    expect(edits(both, { port: 1 })).toEqual(['livenessProbe.httpGet.port 1']);
    expect(edits({ livenessProbe: exec('a'), readinessProbe: exec('b') }, { command: ['c'] })).toEqual([
      'livenessProbe.exec.command ["c"]',
    ]);
  });

  it('are none where the endpoints would become alike', () => {
    expect(
      edits({ livenessProbe: http(), readinessProbe: http({ path: '/ready' }) }, { path: '/ready' }),
    ).toBeUndefined();
    expect(edits({ livenessProbe: exec('a'), readinessProbe: exec('b') }, { command: ['b'] })).toBeUndefined();
  });

  it('are none where one endpoint is written in two ways', () => {
    const both = { livenessProbe: http(), readinessProbe: http({ port: 8080 }) };
    expect(edits(both, { port: 1 })).toBeUndefined();
    expect(edits(both, { path: '/x' })).toEqual([
      'livenessProbe.httpGet.path "/x"',
      'readinessProbe.httpGet.path "/x"',
    ]);
    expect(edits(both, { path: '/x', port: 1 })).toBeUndefined();
  });

  it('are for one probe where an endpoint is unknown', () => {
    const unknown = http({ path: `/${'x'.repeat(5000)}` });
    expect(edits({ livenessProbe: unknown, readinessProbe: unknown }, { port: 1 })).toEqual([
      'livenessProbe.httpGet.port 1',
    ]);
    expect(edits({ livenessProbe: http(), readinessProbe: http() }, { path: 7 })).toEqual([
      'livenessProbe.httpGet.path 7',
    ]);
    expect(edits({ livenessProbe: http(), readinessProbe: unknown }, { port: 1 })).toEqual([
      'livenessProbe.httpGet.port 1',
    ]);
  });
});
