import { describe, expect, it } from 'vitest';
import { layersOf } from '../../src/native/namespace-layers.ts';
import { nativeDecision } from '../../src/native/evaluate.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../support/worlds.ts';
import { probesOf } from './beside-engine.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const layers = layersOf(
  policySet(clusterPolicyDocument({ containers: ['app'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } })),
  'apps',
);

/** The places of the probes that the native policy gives to a container with a port of the name http. */
const given = (container: JsonObject): readonly string[] => [
  ...probesOf(nativeDecision(pod([appContainer(container)]), layers).patch).keys(),
];

const PROBED = ['/spec/containers/0/readinessProbe'];
const beside = (handler: JsonObject): readonly string[] => given({ livenessProbe: handler });

const ofPath = (path: string): JsonObject => ({ httpGet: { path, port: 8080 } });
const header = (name: unknown, value: unknown): JsonObject => ({
  httpGet: { path: '/live', port: 8080, httpHeaders: [{ name, value }] },
});
const headers = (count: number): JsonObject => ({
  httpGet: { path: '/live', port: 8080, httpHeaders: Array(count).fill({ name: 'A', value: 'b' }) },
});
const grpc = (fields: JsonObject): JsonObject => ({ grpc: { port: 8080, ...fields } });

const LONGEST = 4095;

describe('the native policy', () => {
  it('gives a probe to a container without probes', () => {
    expect(given({})).toEqual(PROBED);
  });

  it.each<[string, JsonObject]>([
    ['the lowest port', { httpGet: { path: '/live', port: 1 } }],
    ['the highest port', { httpGet: { path: '/live', port: 65_535 } }],
    ['a name of a port', { httpGet: { path: '/live', port: 'http' } }],
    ['an empty host', { httpGet: { path: '/live', port: 8080, host: '' } }],
    ['an empty scheme', { httpGet: { path: '/live', port: 8080, scheme: '' } }],
    ['the scheme HTTP', { httpGet: { path: '/live', port: 8080, scheme: 'HTTP' } }],
    ['no path', { httpGet: { port: 8080 } }],
    ['an empty path', ofPath('')],
    ['the longest path', ofPath(`/${'a'.repeat(LONGEST - 1)}`)],
    ['a header', header('Accept', 'text/plain')],
    ['99 headers', headers(99)],
    ['the longest value of a header', header('A', 'b'.repeat(LONGEST))],
    ['a socket', { tcpSocket: { port: 'http' } }],
    ['the lowest port of gRPC', grpc({ port: 1 })],
    ['the highest port of gRPC', grpc({ port: 65_535 })],
    ['the longest service of gRPC', grpc({ service: 'a'.repeat(LONGEST) })],
    ['a command', { exec: { command: ['/bin/live'] } }],
  ])('gives a probe beside a probe of the author with %s', (_, handler) => {
    expect(beside(handler)).toEqual(PROBED);
  });

  it.each<[string, JsonObject]>([
    ['port 0', { httpGet: { path: '/live', port: 0 } }],
    ['port 65536', { httpGet: { path: '/live', port: 65_536 } }],
    ['no port', { httpGet: { path: '/live' } }],
    ['an unknown name of a port', { httpGet: { path: '/live', port: 'web' } }],
    ['a host', { httpGet: { path: '/live', port: 8080, host: '10.0.0.1' } }],
    ['a scheme in lower case', { httpGet: { path: '/live', port: 8080, scheme: 'http' } }],
    ['an unknown field', { httpGet: { path: '/live', port: 8080, method: 'HEAD' } }],
    ['a path without a slash', ofPath('live')],
    ['a path with a space', ofPath('/li ve')],
    ['a path with a variable', ofPath('/$(NAME)')],
    ['a path with a template', ofPath('/{{name}}')],
    ['a path that is too long', ofPath(`/${'a'.repeat(LONGEST)}`)],
    ['100 headers', headers(100)],
    ['a header with a malformed name', header('A B', 'c')],
    ['a header without a name', header(undefined, 'c')],
    ['a header without a value', header('A', undefined)],
    ['a header with a variable', header('A', '$(NAME)')],
    ['a header with a sign beyond ASCII', header('A', 'ä')],
    ['a header with a value that is too long', header('A', 'b'.repeat(LONGEST + 1))],
    [
      'a header with an unknown field',
      { httpGet: { path: '/live', port: 8080, httpHeaders: [{ name: 'A', value: 'b', more: 'c' }] } },
    ],
    ['a socket on a host', { tcpSocket: { port: 8080, host: '10.0.0.1' } }],
    ['a socket without a port', { tcpSocket: {} }],
    ['a socket with an unknown field', { tcpSocket: { port: 8080, more: 1 } }],
    ['port 0 of gRPC', grpc({ port: 0 })],
    ['port 65536 of gRPC', grpc({ port: 65_536 })],
    ['a name of a port of gRPC', grpc({ port: 'http' })],
    ['a service of gRPC with a variable', grpc({ service: '$(NAME)' })],
    ['a service of gRPC that is too long', grpc({ service: 'a'.repeat(LONGEST + 1) })],
    ['an unknown field of gRPC', grpc({ more: 1 })],
    ['no command', { exec: {} }],
    ['an empty command', { exec: { command: [] } }],
    ['a blank program', { exec: { command: [' '] } }],
    ['no handler', { periodSeconds: 5 }],
    ['two handlers', { httpGet: { path: '/live', port: 8080 }, tcpSocket: { port: 8080 } }],
  ])('gives no probe beside a probe of the author with %s', (_, handler) => {
    expect(beside(handler)).toEqual([]);
  });

  it('gives no probe to a container with a malformed name of a port', () => {
    const malformed = { name: 'Http', containerPort: 9090 };
    expect(given({ ports: [{ name: 'http', containerPort: 8080 }, malformed] })).toEqual([]);
  });
});
