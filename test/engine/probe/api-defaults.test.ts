import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const NUMBERS = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** A liveness probe after defaulting, in a container of the given list. */
function defaultedProbe(probe: unknown, list = 'containers'): unknown {
  const podSpec = defaultedPodSpec({ [list]: [{ name: 'web', livenessProbe: probe }] });
  return (podSpec[list] as JsonObject[])[0]?.['livenessProbe'];
}

describe('a probe after API defaulting', () => {
  it.each(['containers', 'initContainers', 'ephemeralContainers'])('has its four numbers in %s', (list) => {
    const probe = { exec: { command: ['true'] } };
    expect(defaultedProbe(probe, list)).toEqual({ ...probe, ...NUMBERS });
  });

  it.each([[0], [null], [undefined], [-0]])('takes %j for a number that was not given', (value) => {
    const given = { timeoutSeconds: value, periodSeconds: value, successThreshold: value, failureThreshold: value };
    expect(defaultedProbe(given)).toEqual(NUMBERS);
  });

  it('keeps the numbers that were given, negative ones too', () => {
    const given = { timeoutSeconds: 7, periodSeconds: -3, successThreshold: 2, failureThreshold: 2_147_483_647 };
    expect(defaultedProbe(given)).toEqual(given);
  });

  it('has no default for initialDelaySeconds and for its own grace period', () =>
    expect(defaultedProbe({ initialDelaySeconds: null })).toEqual({ initialDelaySeconds: null, ...NUMBERS }));

  it.each([[undefined], [null], ['']])('asks for / over HTTP when path and scheme are %j', (value) => {
    const probe = { httpGet: { port: 'web', path: value, scheme: value } };
    expect(defaultedProbe(probe)).toEqual({ httpGet: { port: 'web', path: '/', scheme: 'HTTP' }, ...NUMBERS });
  });

  it('keeps a path and a scheme, whatever they say', () => {
    const httpGet = { port: 80, path: 'live', scheme: 'https', host: '10.0.0.1' };
    expect(defaultedProbe({ httpGet })).toEqual({ httpGet, ...NUMBERS });
  });

  it('asks gRPC for the overall service, and keeps fields of later versions', () => {
    const grpc = { port: 9000, mode: 'TLS' };
    expect(defaultedProbe({ grpc })).toEqual({ grpc: { ...grpc, service: '' }, ...NUMBERS });
  });

  it.each([['yes'], [true], [7], [[]], [null]])('is left alone when it is %j', (probe) =>
    expect(defaultedProbe(probe)).toEqual(probe),
  );

  it('is left alone where a value has the wrong type', () => {
    const probe = {
      httpGet: '/live',
      grpc: [],
      tcpSocket: 5432,
      ...NUMBERS,
      periodSeconds: '0',
      timeoutSeconds: false,
    };
    expect(defaultedProbe(probe)).toEqual(probe);
  });
});

describe('a Pod spec after API defaulting', () => {
  it('restarts always and has 30 s of grace', () =>
    expect(defaultedPodSpec({})).toEqual({ restartPolicy: 'Always', terminationGracePeriodSeconds: 30 }));

  it('keeps a grace period of 0', () => {
    const given = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0 };
    expect(defaultedPodSpec(given)).toEqual(given);
  });

  it('has TCP ports unless it says otherwise', () => {
    const ports = [{ containerPort: 53, protocol: 'UDP' }, { containerPort: 80 }, { containerPort: 81, protocol: '' }];
    const [container] = defaultedPodSpec({ containers: [{ ports }] })['containers'] as JsonObject[];
    expect(container?.['ports']).toEqual([
      { containerPort: 53, protocol: 'UDP' },
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 81, protocol: 'TCP' },
    ]);
  });

  it('has a TCP port where the list has null, as Go decodes null into an empty port', () => {
    const podSpec = { containers: [{ name: 'web', ports: [null, { containerPort: 80 }] }] };
    expect(defaultedPodSpec(podSpec)['containers']).toEqual([
      { name: 'web', ports: [{ protocol: 'TCP' }, { containerPort: 80, protocol: 'TCP' }] },
    ]);
  });

  it('fills in the httpGet of hooks', () => {
    const lifecycle = { preStop: { httpGet: { port: 80 } }, postStart: { exec: { command: ['true'] } } };
    const [container] = defaultedPodSpec({ containers: [{ lifecycle }] })['containers'] as JsonObject[];
    expect(container?.['lifecycle']).toEqual({
      preStop: { httpGet: { port: 80, path: '/', scheme: 'HTTP' } },
      postStart: { exec: { command: ['true'] } },
    });
  });

  it('shares what needed no default with its input', () => {
    const done = { name: 'done', readinessProbe: { tcpSocket: { port: 1 }, ...NUMBERS } };
    const podSpec = { containers: [done, { name: 'other', readinessProbe: {} }], volumes: [] };
    const defaulted = defaultedPodSpec(podSpec);
    expect((defaulted['containers'] as unknown[])[0]).toBe(done);
    expect(defaulted['volumes']).toBe(podSpec.volumes);
    expect(defaultedPodSpec(defaulted)).toBe(defaulted);
  });

  it('keeps a member named __proto__ as what it is', () => {
    const probe = JSON.parse('{"__proto__": {"periodSeconds": 5}, "exec": {}}') as JsonObject;
    expect(JSON.stringify(defaultedProbe(probe))).toContain('"__proto__":{"periodSeconds":5}');
    expect(defaultedProbe(probe)).toHaveProperty('periodSeconds', 10);
  });

  it('comes of any JSON, and never changes its input', () =>
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (containers, probe) => {
        const podSpec = { containers: [...containers, { livenessProbe: probe }], initContainers: probe } as JsonObject;
        const before = JSON.stringify(podSpec);
        const defaulted = defaultedPodSpec(podSpec);
        expect(JSON.stringify(podSpec)).toBe(before);
        expect(defaultedPodSpec(defaulted)).toBe(defaulted);
      }),
    ));
});
