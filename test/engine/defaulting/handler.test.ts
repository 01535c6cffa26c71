import { describe, expect, it } from 'vitest';
import {
  causesOf,
  explicitPort,
  isOwnProbe,
  livenessHandler,
  policyHandler,
  portSpeaker,
  probeWith,
  soundHandler,
  type Evidence,
} from '../../../src/engine/defaulting/handler.ts';
import { mergeLayers, type Given } from '../../../src/engine/policy/container-policy.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { portsOf } from '../../../src/engine/workload/ports.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, parsedPolicy, pod, policyDocument } from '../../support/worlds.ts';
import type { HandlerDefault } from '../../../src/engine/policy/probe-policy.ts';
import type { ServiceWord } from '../../../src/engine/facts/services.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const port = (containerPort: number, name?: string, protocol = 'TCP'): JsonObject => ({
  containerPort,
  protocol,
  ...(name !== undefined && { name }),
});
const http = port(8080, 'http');
const named = (text: string, more: Partial<ServiceWord> = {}): ServiceWord => ({ service: 'web', text, ...more });
const UDP = named('', { transport: 'UDP' });

interface Container {
  readonly ports?: readonly JsonObject[];
  readonly hints?: Readonly<Record<number, readonly ServiceWord[]>>;
  readonly image?: string;
  readonly args?: readonly string[];
}

/** What a policy with this liveness probe, and with these other members of its spec, gives a container. */
function fitted({ ports = [http], hints = {}, ...own }: Container, probe: JsonObject, spec = {}) {
  const policy = mergeLayers([parsedPolicy(policyDocument({ probes: { livenessProbe: probe }, ...spec }))]);
  const [container] = readPod(pod([appContainer({ ports, ...own })]), POD_KIND).containers;
  if (container === undefined) throw new Error('no container');
  const services = { selecting: () => [], say: ({ number }: { readonly number: number }) => hints[number] ?? [] };
  const speaksAt = portSpeaker(container, services);
  const evidence: Evidence = { container, services, speaksAt, own: [], contradiction: undefined };
  return policyHandler(evidence, policy.probes.livenessProbe.handler as Given<HandlerDefault>, policy.port);
}

const live = { httpGet: { path: '/live' } };
const aimed = { containers: ['app'] };
const httpGet = (fields: JsonObject): JsonObject => ({ handler: { kind: 'httpGet', fields } });

describe('the handler of a policy', () => {
  it.each<[string, readonly JsonObject[], number | string]>([
    ['the port named http', [port(1, 'https'), port(2, 'http-web'), port(3, 'http')], 'http'],
    ['then the port named https', [port(2, 'http-web'), port(1, 'https')], 'https'],
    ['then the first port named http-*', [port(1, 'web'), port(2, 'http-b'), port(3, 'http-a')], 'http-b'],
    ['the only port by its name', [port(1, 'web')], 'web'],
    ['the only port by its number', [port(1)], 1],
    ['the first of two ports with one number', [port(1, 'web'), port(1, 'api')], 'web'],
    ['no port of another transport', [port(1, 'http', 'UDP'), port(2, 'web')], 'web'],
    ['no port of another protocol', [port(1, 'grpc'), port(2, 'metrics'), port(3, 'web')], 'web'],
  ])('asks %s', (_, ports, expected) => {
    const scheme = expected === 'https' ? { scheme: 'HTTPS' } : {};
    expect(fitted({ ports }, live)).toEqual(httpGet({ path: '/live', port: expected, ...scheme }));
  });

  it('has the fields of the policy, which replace the port and the scheme of the container', () => {
    const ports = [port(8443, 'https')];
    const { handler } = fitted({ ports }, { httpGet: { path: '/live', host: 'localhost' } }) as ReturnType<
      typeof fitted
    > & { readonly handler: HandlerDefault };
    expect(Object.entries(handler.fields)).toEqual([
      ['path', '/live'],
      ['port', 'https'],
      ['scheme', 'HTTPS'],
      ['host', 'localhost'],
    ]);
    expect(fitted({ ports }, { httpGet: { path: '/live', scheme: 'HTTP', port: 8443 } })).toEqual(
      httpGet({ path: '/live', port: 8443, scheme: 'HTTP' }),
    );
    expect(fitted({ ports }, { httpGet: { host: 'localhost' } })).toEqual(
      httpGet({ port: 'https', scheme: 'HTTPS', host: 'localhost' }),
    );
  });

  it('follows the words of a Service where the port has no name', () => {
    const ports = [port(7070)];
    expect(fitted({ ports, hints: { 7070: [named('https')] } }, live)).toEqual(
      httpGet({ path: '/live', port: 7070, scheme: 'HTTPS' }),
    );
    expect(fitted({ ports, hints: { 7070: [named('grpc')] } }, live)).toMatchObject({
      code: 'no-http-port',
      detail:
        'no port to ask by HTTP: 7070 is for gRPC (Service web); if one of them answers HTTP, ' +
        'name the port in a policy with containers or workloadSelector',
    });
  });

  it('is missing for the port of a policy where a setting alone says TLS', () => {
    const args = ['--tls-cert-file=/tls.crt'];
    expect(fitted({ ports: [port(8080)] }, live, { port: 8080 })).toEqual(httpGet({ path: '/live', port: 8080 }));
    expect(fitted({ ports: [port(8080)], args }, live, { port: 8080 })).toMatchObject({ code: 'no-http-port' });
  });

  it.each<[string, readonly JsonObject[], JsonObject]>([
    ['without a port', [], { code: 'no-port', detail: 'declares no TCP port; declare one named "http"' }],
    ['without a TCP port', [port(1, 'http', 'UDP')], { code: 'no-port' }],
    [
      'with two ports that say nothing',
      [port(1, 'web'), port(2)],
      {
        code: 'no-port',
        detail: 'cannot tell which of its ports web (1), 2 to ask; name one "http" or set the policy\'s port',
      },
    ],
    [
      'with ports of other protocols only',
      [port(1, 'grpc'), port(2, 'metrics')],
      {
        code: 'no-http-port',
        detail:
          'no port to ask by HTTP: grpc (1) is for gRPC (its name); metrics (2) is for metrics (its name); ' +
          'if one of them answers HTTP, name the port in a policy with containers or workloadSelector',
      },
    ],
  ])('is missing for a container %s', (_, ports, problem) => expect(fitted({ ports }, live)).toMatchObject(problem));

  it.each([
    [20, 'grpc-19 (20) is for gRPC (its name); if'],
    [21, 'grpc-19 (20) is for gRPC (its name); and 1 more; if'],
    [24, 'grpc-19 (20) is for gRPC (its name); and 4 more; if'],
  ])('is missing for %i ports of other protocols, and the reason names the first 20', (length, end) => {
    const ports = Array.from({ length }, (_, index) => port(index + 1, `grpc-${index}`));
    expect(fitted({ ports }, live)).toMatchObject({ detail: expect.stringContaining(end) as string });
  });

  it('asks a proxy that only forwards where the policy is aimed at the container', () => {
    const proxy = { image: 'quay.io/brancz/kube-rbac-proxy:v0.15.0' };
    expect(fitted(proxy, live)).toEqual({
      code: 'cannot-work',
      detail:
        'its image is a proxy that forwards requests with credentials only; if it answers the path, ' +
        'name the container in a policy with containers or workloadSelector',
    });
    expect(fitted(proxy, live, { port: 'http' })).toMatchObject({ code: 'cannot-work' });
    expect(fitted(proxy, live, aimed)).toEqual(httpGet({ path: '/live', port: 'http' }));
    // Only HTTP needs credentials.
    expect(fitted(proxy, { tcpSocket: { port: 8080 } })).toEqual({
      handler: { kind: 'tcpSocket', fields: { port: 8080 } },
    });
  });

  it('that runs a command fits each container', () =>
    expect(fitted({ ports: [] }, { exec: { command: ['check'] } }, { port: 9 })).toEqual({
      handler: { kind: 'exec', fields: { command: ['check'] } },
    }));
});

describe('a port that a policy names', () => {
  it('is asked by the name of the declared port', () => {
    const ports = [http, port(9000, 'admin')];
    const expected = httpGet({ path: '/live', port: 'admin' });
    expect(fitted({ ports }, live, { port: 9000 })).toEqual(expected);
    expect(fitted({ ports }, live, { port: 'admin' })).toEqual(expected);
  });

  it.each<[readonly JsonObject[], JsonObject]>([
    [
      [],
      {
        code: 'port-not-declared',
        detail: "the policy's port 9000 is not among the container's ports; it declares no port",
      },
    ],
    [
      [http, port(1)],
      {
        code: 'port-not-declared',
        detail: "the policy's port 9000 is not among the container's ports; it declares http (8080), 1",
      },
    ],
    [
      [port(9000, 'stats', 'UDP')],
      {
        code: 'port-not-tcp',
        detail: "the policy's port 9000 is not a TCP port; the container declares stats (9000)/UDP",
      },
    ],
  ])('must be a TCP port of the container: %j', (ports, problem) => {
    expect(fitted({ ports }, live, { port: 9000 })).toEqual(problem);
    expect(fitted({ ports }, live, { port: 9000, ...aimed })).toEqual(problem);
    expect(fitted({ ports }, { tcpSocket: { port: 9000 } })).toEqual(problem);
  });

  it('speaks another protocol only where the policy is aimed at the container', () => {
    const container = { ports: [port(9000, 'grpc'), port(9443)], hints: { 9443: [named('amqp')] } };
    expect(fitted(container, live, { port: 'grpc' })).toEqual({
      code: 'no-http-port',
      detail:
        "the policy's port grpc (9000) is for gRPC (its name); if one of them answers HTTP, " +
        'name the port in a policy with containers or workloadSelector',
    });
    expect(fitted(container, live, { port: 9443 })).toMatchObject({ code: 'no-http-port' });
    const isPortAimed = true;
    expect(fitted(container, live, { port: 'grpc', ...aimed })).toEqual({
      ...httpGet({ path: '/live', port: 'grpc' }),
      isPortAimed,
    });
    expect(fitted(container, live, { port: 9443, ...aimed })).toEqual({
      ...httpGet({ path: '/live', port: 9443 }),
      isPortAimed,
    });
    // Metrics are HTTP: whoever names such a port may mean it.
    expect(fitted({ ports: [port(1, 'metrics')] }, live, { port: 1 })).toEqual(
      httpGet({ path: '/live', port: 'metrics' }),
    );
  });

  it('gets the scheme that its Service says, unless the policy is aimed at the container', () => {
    const container = { ports: [port(7070)], hints: { 7070: [named('https')] } };
    expect(fitted(container, live, { port: 7070 })).toEqual(httpGet({ path: '/live', port: 7070, scheme: 'HTTPS' }));
    expect(fitted(container, live, { port: 7070, ...aimed })).toEqual({
      ...httpGet({ path: '/live', port: 7070 }),
      isPortAimed: true,
    });
  });

  it.each([{ tcpSocket: { port: 8080 } }, { grpc: { port: 8080 } }])(
    'gets no %j where a Service says that it is for UDP',
    (probe) => {
      expect(fitted({ hints: { 8080: [named(''), UDP] } }, probe)).toEqual({
        code: 'port-not-tcp',
        detail: "the policy's port http (8080) is for UDP (Service web)",
      });
      const [kind = '', fields] = Object.entries(probe)[0] ?? [];
      expect(fitted({ hints: { 8080: [named('')] } }, probe)).toEqual({ handler: { kind, fields } });
      expect(fitted({ hints: { 8080: [UDP] } }, probe, aimed)).toEqual({ handler: { kind, fields } });
    },
  );

  it('is the own port of the handler, else for HTTP that of the policy', () => {
    const layer = parsedPolicy(policyDocument({}));
    const other = { layer: parsedPolicy(policyDocument({}, 'other')), value: 9 };
    const given = (kind: HandlerDefault['kind'], fields: JsonObject): Given<HandlerDefault> => ({
      layer,
      value: { kind, fields },
    });
    expect(explicitPort(given('httpGet', { port: 1 }), other)).toEqual({ layer, value: 1 });
    expect(explicitPort(given('httpGet', {}), other)).toBe(other);
    expect(explicitPort(given('httpGet', {}), undefined)).toBeUndefined();
    expect(explicitPort(given('exec', {}), other)).toBeUndefined();
    expect(explicitPort(given('tcpSocket', { port: 'db' }), undefined)).toEqual({ layer, value: 'db' });
  });
});

describe('a probe that is written', () => {
  it('has its handler first, then the integers that are given, in the order of core/v1', () => {
    const probe = probeWith(
      { kind: 'tcpSocket', fields: { port: 1 } },
      { failureThreshold: 0, periodSeconds: 5, terminationGracePeriodSeconds: 1 },
    );
    expect(Object.entries(probe)).toEqual([
      ['tcpSocket', { port: 1 }],
      ['periodSeconds', 5],
      ['failureThreshold', 0],
      ['terminationGracePeriodSeconds', 1],
    ]);
  });

  it("is an author's own with one handler", () => {
    const written = (livenessProbe: unknown): boolean[] =>
      readPod(pod([appContainer({ livenessProbe })]), POD_KIND).containers.flatMap((one) =>
        one.written.map(isOwnProbe),
      );
    expect(written({ tcpSocket: { port: 1 } })).toEqual([true]);
    expect(written({ tcpSocket: { port: 1 }, exec: { command: ['a'] } })).toEqual([false]);
    expect(written({})).toEqual([false]);
  });
});

describe('the handler of a liveness probe', () => {
  const ports = portsOf({ ports: [http, port(53, 'dns', 'UDP')] });
  const headers = (httpHeaders: unknown): JsonObject => ({ httpGet: { port: 8080, httpHeaders } });

  it.each<[JsonObject]>([
    [{ httpGet: { path: '/', port: 'http', host: 'example.test', scheme: 'HTTPS' } }],
    [{ tcpSocket: { port: 9999 } }],
    [{ grpc: { port: 1, service: null } }],
    [{ exec: { command: ['a', ''] } }],
    [{ httpGet: null, exec: { command: ['a'] } }],
    [headers([])],
    [headers([{ name: 'A', value: 'with a\ttab' }])],
  ])('is that of a probe that can work: %j', (probe) => {
    const [kind = '', fields] = Object.entries(probe).find(([, value]) => value !== null) ?? [];
    expect(soundHandler(ports, probe)).toEqual({ handler: { kind, fields } });
    expect(livenessHandler(ports, probe)).toEqual({ handler: { kind, fields } });
  });

  it.each<[JsonObject, string]>([
    [{}, 'has no handler'],
    [{ httpGet: 'x' }, 'has no handler'],
    [{ httpGet: { port: 1 }, exec: { command: ['a'] } }, 'has more than one handler'],
    [{ httpGet: { port: 1, host: 'a b' } }, 'cannot work: its host is none'],
    [{ tcpSocket: { port: 'db' } }, 'cannot work: no TCP port named "db" is declared'],
    [{ tcpSocket: { port: 'dns' } }, 'cannot work: no TCP port named "dns" is declared'],
    [{ httpGet: { port: 1, path: { a: 1 } } }, 'cannot work: path is malformed'],
    [{ httpGet: { port: 1, path: ['a', 1] } }, 'cannot work: path is malformed'],
    [{ exec: { command: ['a', 1] } }, 'cannot work: command is malformed'],
    [headers(['a']), 'cannot work: httpHeaders is malformed'],
    [headers({}), 'cannot work: httpHeaders is malformed'],
    [headers([{ name: 'A', value: 'b' }, { name: 1 }]), 'cannot work: httpHeaders is malformed'],
    [headers([{ name: 'A', value: 'a\nb' }]), 'cannot work: httpHeaders is malformed'],
    [headers([{ name: 'A', value: '\0b' }]), 'cannot work: httpHeaders is malformed'],
    [{ exec: { command: [] } }, 'cannot work: its command names no program'],
    [{ exec: { command: [' ', 'a'] } }, 'cannot work: its command names no program'],
    [{ exec: { ['x'.repeat(63)]: {} } }, `cannot work: ${'x'.repeat(63)} is malformed`],
    [{ exec: { ['x'.repeat(64)]: {} } }, `cannot work: ${'x'.repeat(60)}... is malformed`],
  ])('is not that of a probe that cannot work: %j', (probe, problem) => {
    expect(soundHandler(ports, probe)).toEqual({ problem });
    expect(livenessHandler(ports, probe)).toEqual({
      code: 'liveness-cannot-work',
      detail: `its livenessProbe ${problem}`,
    });
  });

  it.each<[JsonObject, string | undefined]>([
    [{ httpGet: { port: 1, scheme: 'FTP' } }, 'livenessProbe.httpGet.scheme: Unsupported value: "FTP"'],
    [{ tcpSocket: { port: 70_000 } }, 'livenessProbe.tcpSocket.port: Invalid value: 70000'],
    [{ tcpSocket: { port: 1 }, failureThreshold: -1 }, undefined],
    // The controller of a kind such as Knative's fills these ports in.
    [{ httpGet: { path: '/' } }, undefined],
    [{ tcpSocket: { port: 0 } }, undefined],
    [{ httpGet: { scheme: 'FTP' } }, 'livenessProbe.httpGet.scheme: Unsupported value: "FTP"'],
  ])('is not copied where the API server would reject it: %j', (probe, refusal) => {
    const problem = {
      code: 'liveness-cannot-work',
      detail: expect.stringContaining(`its livenessProbe cannot work: ${refusal}`) as string,
    };
    const [kind = '', fields] = Object.entries(probe)[0] ?? [];
    expect(livenessHandler(ports, probe)).toEqual(refusal === undefined ? { handler: { kind, fields } } : problem);
  });

  it('has the causes of the API server after defaulting', () => {
    expect(causesOf({ httpGet: { port: 1 } })).toEqual([]);
    expect(causesOf({ httpGet: {} }).map(({ path }) => path)).toEqual([['livenessProbe', 'httpGet', 'port']]);
  });
});
