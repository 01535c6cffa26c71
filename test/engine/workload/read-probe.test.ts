import { describe, expect, it } from 'vitest';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readHandler, wholeHandlerOf } from '../../../src/engine/workload/read-probe.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import type { WrittenProbe } from '../../../src/engine/workload/pod.ts';

function probeOf(livenessProbe: unknown): WrittenProbe {
  const [probe] =
    readPod({ spec: { containers: [{ name: 'app', livenessProbe }] } }, POD_KIND).containers[0]?.written ?? [];
  if (probe === undefined) throw new Error('no probe');
  return probe;
}

describe('an httpGet handler', () => {
  it('has the defaults of the API server for what is absent or empty', () => {
    const defaults = {
      path: '/',
      host: '',
      scheme: 'HTTP',
      protocol: 'HTTP1',
      port: undefined,
      headers: [],
      isMalformed: false,
    };
    expect(readHandler('httpGet', {})).toMatchObject(defaults);
    expect(readHandler('httpGet', { path: '', host: null, scheme: '', port: null, httpHeaders: null })).toMatchObject(
      defaults,
    );
  });

  it('has what is written', () => {
    const spec = { path: '/a', host: 'h', scheme: 'HTTPS', protocol: 'HTTP2', port: 'http' };
    expect(readHandler('httpGet', spec)).toMatchObject({ ...spec, kind: 'httpGet', spec, isMalformed: false });
  });

  it.each([
    ['path', 5],
    ['host', true],
    ['scheme', {}],
    ['protocol', []],
    ['port', true],
    ['httpHeaders', 'X'],
    ['httpHeaders', [{ value: 'a' }]],
    ['httpHeaders', [{ name: 'X', value: 1 }]],
    ['httpHeaders', ['X']],
  ])('is malformed where %s is %j', (field, value) => {
    const handler = readHandler('httpGet', { port: 80, [field]: value });
    expect(handler.isMalformed).toBe(true);
    if (field !== 'httpHeaders') expect(handler).toHaveProperty(field, undefined);
  });

  it('has the headers with a value that is a text, at their places', () => {
    const httpHeaders = [{ name: 'A', value: '1' }, { name: 'B' }, { name: 'C', value: 3 }, { value: 'd' }, null];
    expect(readHandler('httpGet', { httpHeaders })).toMatchObject({
      headers: [
        { index: 0, name: 'A', value: '1' },
        { index: 1, name: 'B', value: '' },
        { index: 3, name: '', value: 'd' },
      ],
    });
  });
});

describe('another handler', () => {
  it('has the fields of its kind', () => {
    expect(readHandler('tcpSocket', { port: 80 })).toEqual({
      kind: 'tcpSocket',
      spec: { port: 80 },
      port: 80,
      host: '',
      isMalformed: false,
    });
    expect(readHandler('grpc', { port: 80 })).toMatchObject({
      port: 80,
      service: '',
      mode: 'Plaintext',
      isMalformed: false,
    });
    expect(readHandler('exec', { command: ['a', null, 3] })).toMatchObject({ elements: ['a', null, 3] });
    expect(readHandler('exec', { command: 'a' })).toMatchObject({ elements: [] });
  });

  it('is malformed where a member has another type', () => {
    const malformed = [
      readHandler('tcpSocket', { port: 80, host: 1 }),
      readHandler('tcpSocket', { port: {} }),
      readHandler('grpc', { port: 80, service: 1 }),
      readHandler('grpc', { port: 80, mode: 1 }),
      readHandler('grpc', { port: [] }),
    ];
    expect(malformed.map(({ isMalformed }) => isMalformed)).toEqual([true, true, true, true, true]);
  });
});

describe('a probe', () => {
  it('has the numbers of the API server, and its own', () => {
    const numbers = {
      initialDelaySeconds: 0,
      periodSeconds: 7,
      timeoutSeconds: 1,
      failureThreshold: 3,
      successThreshold: 1,
    };
    expect(probeOf({ periodSeconds: 7, failureThreshold: 0, timeoutSeconds: null })).toMatchObject({
      numbers,
      timing: numbers,
    });
  });

  it.each(['5', -1, 1.5, {}])('has no timing where a number is %j, which counts as absent', (periodSeconds) => {
    const { numbers, timing } = probeOf({ periodSeconds, failureThreshold: 9 });
    expect([numbers.periodSeconds, numbers.failureThreshold, timing]).toEqual([10, 9, undefined]);
  });

  it.each([
    [undefined, 'absent'],
    [null, 'absent'],
    [20, 20],
    [0, undefined],
    ['20', undefined],
  ])('with the grace period %j has %s', (terminationGracePeriodSeconds, expected) => {
    expect(probeOf({ terminationGracePeriodSeconds }).graceSeconds).toBe(expected);
  });

  it('keeps what is written, and cuts long texts in what checks read', () => {
    const written = { httpGet: { path: `/${'x'.repeat(5000)}`, port: 80, unknown: 1 } };
    const probe = probeOf(written);
    expect(probe.written).toBe(written);
    expect(probe.spec['httpGet']).toMatchObject({ unknown: 1, scheme: 'HTTP' });
    expect(probe.handler?.kind === 'httpGet' && probe.handler.path?.length).toBe(4097);
  });

  it('has all texts in the handler for who asks it, and the first one of several', () => {
    const path = `/${'x'.repeat(5000)}`;
    expect(wholeHandlerOf(probeOf({ httpGet: { path, port: 80 } }))).toMatchObject({ kind: 'httpGet', path });
    expect(wholeHandlerOf(probeOf({ grpc: { port: 1 }, exec: { command: ['a'] } }))).toMatchObject({ kind: 'exec' });
    expect([probeOf({}), probeOf('a'), probeOf({ exec: 'a' })].map(wholeHandlerOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has a handler only if it names exactly one, and a command only of an exec handler', () => {
    expect(probeOf({ exec: { command: ['a', 'b'] } })).toMatchObject({
      handler: { kind: 'exec' },
      command: { argv: ['a', 'b'] },
    });
    expect(probeOf({ tcpSocket: { port: 1 } }).command.argv).toEqual([]);
    expect(
      [probeOf({}), probeOf({ exec: {}, grpc: {} }), probeOf({ exec: 'a' })].map(({ handler }) => handler),
    ).toEqual([undefined, undefined, undefined]);
  });
});
