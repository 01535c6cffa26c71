import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../../src/base/json/field-path.ts';
import {
  askedPort,
  mayAnswer,
  onlyPortAdvice,
  portEdit,
  portValue,
} from '../../../../src/engine/checks/lib/probe-port.ts';
import { portsOf, type ContainerPort } from '../../../../src/engine/workload/ports.ts';
import { podWith, workloadOf } from '../workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';
import type { Probe } from '../../../../src/engine/workload/pod.ts';

const port = (containerPort: number, name?: string, protocol = 'TCP'): JsonObject => ({
  containerPort,
  protocol,
  ...(name !== undefined && { name }),
});
const declared = (...args: Parameters<typeof port>): ContainerPort =>
  portsOf({ ports: [port(...args)] })[0] as ContainerPort;

function probeOf(livenessProbe: JsonObject, ports: unknown = [port(8080, 'http')]): Probe {
  const [probe] = workloadOf(podWith({ livenessProbe, ports })).pod.containers[0]?.probes ?? [];
  if (probe === undefined) throw new Error('no probe');
  return probe;
}
const http = (fields: JsonObject, ports?: unknown): Probe => probeOf({ httpGet: fields }, ports);
const tcp = (wanted: number | string, ports?: unknown): Probe => probeOf({ tcpSocket: { port: wanted } }, ports);
const grpc = (wanted: number, ports?: unknown): Probe => probeOf({ grpc: { port: wanted } }, ports);
const exec = probeOf({ exec: { command: ['true'] } });

describe('the port that a probe asks', () => {
  const own = declared(8080, 'http');

  it.each<[string, Probe]>([
    ['by its name', http({ port: 'http' })],
    ['by its number', http({ port: 8080 })],
    ['by tcpSocket', tcp('http')],
    ['by grpc', grpc(8080)],
  ])('is declared: %s', (_, probe) => expect(askedPort(probe)).toEqual({ number: 8080, declared: own }));

  it('is declared with any number', () =>
    expect(askedPort(tcp('odd', [port(0, 'odd')]))).toMatchObject({ number: 0, declared: { name: 'odd' } }));

  it.each<[string, Probe, number]>([
    ['that is not declared', http({ port: 9000 }), 9000],
    ['of a container without ports', tcp(1, []), 1],
    ['of a container whose ports cannot be read', tcp(65_535, 'x'), 65_535],
    ['of another transport', tcp(53, [port(53, 'dns', 'UDP')]), 53],
  ])('is the number %s', (_, probe, number) => expect(askedPort(probe)).toEqual({ number, declared: undefined }));

  it.each<[string, Probe]>([
    ['a command', exec],
    ['another host', http({ port: 8080, host: 'example.test' })],
    ['a malformed host', http({ port: 8080, host: 7 })],
    ['a name that is not declared', http({ port: 'none' })],
    ['no port number', tcp(65_536)],
    ['no port', http({ port: null })],
    ['no port, where a port has no number', tcp(0, [port(0)])],
  ])('is none for %s', (_, probe) => expect(askedPort(probe)).toBeUndefined());
});

describe('a declared port', () => {
  it.each<[string, Probe, readonly ContainerPort[], readonly boolean[]]>([
    ['tcpSocket', tcp(1), [declared(1, 'redis'), declared(1), declared(1, 'http', 'UDP')], [true, true, false]],
    [
      'grpc',
      grpc(1),
      [declared(1, 'grpc'), declared(1, 'http'), declared(50_051), declared(1, 'grpc', 'SCTP')],
      [true, false, false, false],
    ],
    [
      'httpGet',
      http({ port: 1 }),
      [declared(1, 'http'), declared(1), declared(1, 'https'), declared(443), declared(1, 'grpc')],
      [true, true, false, false, false],
    ],
    [
      'httpGet with HTTPS',
      http({ port: 1, scheme: 'HTTPS' }),
      [declared(1, 'http'), declared(1), declared(1, 'https'), declared(8443), declared(1, 'grpc')],
      [false, false, true, true, false],
    ],
  ])('may answer %s or not', (_, probe, ports, expected) =>
    expect(ports.map((one) => mayAnswer(probe, one))).toEqual(expected),
  );
});

describe('advice about a port', () => {
  it('is the name where the probe has a name, else the number', () => {
    const named = declared(8080, 'web');
    expect(portValue(http({ port: 'x' }), named)).toBe('web');
    expect(portValue(tcp('x'), named)).toBe('web');
    expect(portValue(http({ port: 1 }), named)).toBe(8080);
    expect(portValue(http({ port: 'x' }), declared(8080))).toBe(8080);
    expect(portValue(probeOf({ grpc: { port: 'x' } }), named)).toBe(8080);
    expect(portValue(exec, named)).toBe(8080);
  });

  it('is an edit of the handler', () => {
    const { path, value } = portEdit(tcp(1), declared(8080, 'web'));
    expect([formatPath(path), value]).toEqual(['spec.containers[0].livenessProbe.tcpSocket.port', 8080]);
  });

  it('names the only port that may answer', () => {
    const advice = onlyPortAdvice(http({ port: 'none' }, [port(1, 'grpc'), port(2, 'web-1')]));
    expect(advice?.remedy).toBe('write port: web-1');
    expect(advice?.edits?.map(({ value }) => value)).toEqual(['web-1']);
    expect(onlyPortAdvice(http({ port: 'none' }, [port(2)]))?.remedy).toBe('write port: 2');
  });

  it.each([[[]], [[port(1, 'grpc')]], [[port(1), port(2)]], ['x']])('is none where none or several may: %j', (ports) =>
    expect(onlyPortAdvice(http({ port: 'none' }, ports))).toBeUndefined(),
  );
});
