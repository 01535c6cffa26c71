import { describe, expect, it } from 'vitest';
import { failure, NotRun } from '../../../src/cli/try/answer.ts';
import { GoError } from '../../../src/cli/try/connection.ts';
import { localHost, otherPath, secureProto, USUAL_PATHS, wrongScheme } from '../../../src/cli/try/look-http.ts';
import { plannedOne } from './planned.ts';
import type { Look, TryCause } from '../../../src/cli/try/diagnosis.ts';
import type { HttpProbe } from '../../../src/cli/try/http-probe.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';

/** A status, a redirect to a path, or the words of no answer. */
type Served = number | string | GoError;
const LATE = new GoError('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
const REFUSED = new GoError('dial tcp 10.0.0.1:8080: connect: connection refused');

interface Given {
  readonly handler?: object;
  readonly probe?: ProbeKind;
  readonly policyPaths?: readonly string[];
  readonly cause?: TryCause;
}

/** A look at a container, and the paths that it is asked. A path that redirects is asked for both. */
function lookAt(
  serve: (path: string, probe: HttpProbe) => Served,
  { handler = {}, probe = 'livenessProbe', policyPaths = [], cause = 'http-404' }: Given = {},
): { readonly look: Look; readonly asked: string[] } {
  const asked: string[] = [];
  const proxied = (request: HttpProbe) => {
    asked.push(`${request.isHttps ? 'https:' : ''}${request.path}`);
    return (url: { readonly target: string }) => {
      const served = serve(url.target, request);
      if (served instanceof GoError) return Promise.reject(served);
      const [status, location] = typeof served === 'number' ? [served, undefined] : [302, served];
      return Promise.resolve({ status, location, body: [] });
    };
  };
  const target: Look['asking']['target'] = {
    ...{ name: 'a container', host: '10.0.0.1', proxied },
    connect: () => Promise.reject(REFUSED),
    exec: () => Promise.reject(new NotRun('no exec')),
    isLoopbackOnly: () => Promise.resolve(false),
  };
  const planned = { ...plannedOne({ [probe]: { httpGet: { path: '/own', port: 8080 }, ...handler } }), policyPaths };
  const asking = { target, monotonic: () => 0, allowsSideEffects: true };
  return { look: { planned, asking, cause, answer: failure('no', 404), port: 8080 }, asked };
}

const field = (name: string, probe = 'livenessProbe'): string => `spec.containers[0].${probe}.httpGet.${name}`;
const HTTPS = { httpGet: { path: '/own', port: 8080, scheme: 'HTTPS' } };
const GRPC = { httpGet: undefined, grpc: { port: 8080 } };

describe('the other scheme', () => {
  it.each([
    ['HTTPS', {}, 200],
    ['HTTP', HTTPS, 200],
    ['HTTPS', {}, 302],
  ])('%s is the remedy where the probe passes with it', async (scheme, handler, status) => {
    const { look, asked } = lookAt(() => status, { handler, cause: 'unclear' });
    expect(await wrongScheme(look)).toEqual({
      cause: 'tls-mismatch',
      remedy: `With ${scheme} the probe passes: set httpGet.scheme: ${scheme}.`,
      edits: [{ path: field('scheme'), value: scheme }],
    });
    expect(asked).toEqual([scheme === 'HTTPS' ? 'https:/own' : '/own']);
  });

  it('is the remedy with a path that passes, where the own path does not', async () => {
    const { look, asked } = lookAt((path) => (path === '/healthz' ? 200 : 404));
    expect(await wrongScheme(look)).toEqual({
      cause: 'tls-mismatch',
      remedy:
        'With HTTPS the probe gets HTTP status 404: set httpGet.scheme: HTTPS. ' +
        '/healthz answers with success: set httpGet.path to it.',
      edits: [
        { path: field('scheme'), value: 'HTTPS' },
        { path: field('path'), value: '/healthz' },
      ],
    });
    expect(asked.filter((path) => !path.startsWith('https:'))).toEqual([]);
  });

  it.each([
    ['HTTPS', {}, 400],
    ['HTTP', HTTPS, 404],
  ])('%s is the remedy where the port answers with it, and no path passes', async (scheme, handler, status) => {
    expect(await wrongScheme(lookAt(() => status, { handler }).look)).toEqual({
      cause: 'tls-mismatch',
      remedy: `With ${scheme} the probe gets HTTP status ${status}: set httpGet.scheme: ${scheme}.`,
      edits: [{ path: field('scheme'), value: scheme }],
    });
  });

  it.each<[string, object, Served, string[]]>([
    ['nobody answers', {}, REFUSED, ['https:/own']],
    ['a server of TLS refuses a request without it', HTTPS, 400, ['/own']],
  ])('is no remedy where %s', async (_what, handler, served, paths) => {
    const { look, asked } = lookAt(() => served, { handler });
    expect([await wrongScheme(look), asked]).toEqual([undefined, paths]);
  });
});

describe('a header', () => {
  const has =
    (name: string, value: string) =>
    (_path: string, { headers }: HttpProbe) =>
      headers.some((header) => header[0] === name && header[1] === value) ? 200 : 403;
  const own = { name: 'X-Own', value: '1' };

  it.each([
    ['Host', 'localhost', localHost, ', or let the application accept the address of the Pod'],
    ['X-Forwarded-Proto', 'https', secureProto, ''],
  ])('%s: %s is the remedy where the probe passes with it, beside the own headers', async (name, value, find, also) => {
    const handler = { httpGet: { path: '/own', port: 8080, httpHeaders: [own] } };
    const { look, asked } = lookAt(has(name, value), { handler, cause: 'http-403' });
    expect(await find(look)).toEqual({
      cause: 'http-403',
      remedy: `With the header ${name}: ${value} the probe passes: set it in httpGet.httpHeaders${also}.`,
      edits: [{ path: field('httpHeaders'), value: [own, { name, value }] }],
    });
    expect(asked).toEqual(['/own']);
    expect(await find(lookAt(has('X-Own', '1'), { handler }).look)).toMatchObject({ cause: 'http-404' });
  });

  it.each(['Host', 'host'])('that the probe has as %s is not changed', async (name) => {
    const handler = { httpGet: { path: '/own', port: 8080, httpHeaders: [own, { name, value: 'web' }] } };
    const { look, asked } = lookAt(() => 200, { handler });
    expect([await localHost(look), asked]).toEqual([undefined, []]);
  });

  it.each<[string, Served]>([
    ['the answer is the same', 403],
    ['it leads to another host', 'https://login.example.com/'],
    ['nobody answers', REFUSED],
  ])('is no remedy where %s', async (_what, served) => {
    expect(await localHost(lookAt(() => served).look)).toBeUndefined();
  });
});

describe('another path', () => {
  const found = async (passing: readonly string[], given: Given = {}): Promise<unknown> => {
    const diagnosis = await otherPath(lookAt((path) => (passing.includes(path) ? 200 : 404), given).look);
    return diagnosis?.remedy.replace(' answers with success: set httpGet.path to it.', ':');
  };
  const FOR_LIVENESS = USUAL_PATHS.filter((path) => !/ready|readiness/.test(path));
  const READINESS: Given = { probe: 'readinessProbe' };

  it('is an edit, with the cause of the answer', async () => {
    const { look } = lookAt((path) => (path === '/up' ? 204 : 404), { ...READINESS, cause: 'http-4xx' });
    expect(await otherPath(look)).toEqual({
      cause: 'http-4xx',
      remedy: '/up answers with success: set httpGet.path to it.',
      edits: [{ path: field('path', 'readinessProbe'), value: '/up' }],
    });
  });

  it.each<[string, readonly string[], string | undefined, Given?]>([
    ['none where none passes', [], undefined],
    ['one that is named for liveness', ['/healthz', '/livez'], '/livez: So does /healthz.'],
    ['the first of two that are', ['/ping', '/health/live'], '/health/live: So does /ping.'],
    ['none that is named for readiness', ['/readyz', '/-/ready'], undefined],
    ['one that is, for readiness', ['/livez', '/healthz', '/readyz'], '/readyz: So do /livez, /healthz.', READINESS],
    [
      'a neutral one before one for liveness, for readiness',
      ['/livez', '/health'],
      '/health: So does /livez.',
      READINESS,
    ],
    ['one for liveness, for readiness, where there is no other', ['/ping'], '/ping:', READINESS],
    ['that of a policy first', ['/livez', '/a'], '/a: So does /livez.', { policyPaths: ['/a'] }],
    ['that of a policy that says readiness', ['/readiness'], '/readiness:', { policyPaths: ['/readiness'] }],
    [
      'that of a policy for readiness last',
      ['/readiness', '/health', '/livez'],
      '/livez: So do /readiness, /health.',
      { policyPaths: ['/readiness'] },
    ],
    [
      "a policy's for readiness",
      ['/livez', '/ready1', '/readyz'],
      '/ready1: So do /livez, /readyz.',
      { ...READINESS, policyPaths: ['/ready1', '/live1'] },
    ],
    ['for an error of the server one for liveness alone', ['/healthz', '/livez'], '/livez:', { cause: 'http-5xx' }],
    [
      'none for an error of the server and readiness',
      ['/readyz', '/livez'],
      undefined,
      { ...READINESS, cause: 'http-5xx' },
    ],
    ['for startup one for liveness', ['/livez', '/readyz'], '/livez:', { probe: 'startupProbe' }],
  ])('is %s', async (_what, passing, remedy, given) => {
    expect(await found(passing, given)).toBe(remedy);
  });

  it('is none where eight pass: such a server says yes to every path', async () => {
    expect(await found(FOR_LIVENESS.slice(0, 7))).toMatch(/^\/livez: So do /);
    expect(await found(FOR_LIVENESS.slice(0, 8))).toBeUndefined();
  });

  it('is asked once, and the own path is not asked again', async () => {
    const policyPaths = ['/a', '/healthz', '/own', '/'];
    const rest = FOR_LIVENESS.filter((path) => path !== '/healthz');
    const { look, asked } = lookAt(() => 404, { policyPaths });
    await otherPath(look);
    expect(asked).toEqual(['/a', '/healthz', '/', ...rest]);
    const { look: ofRoot, asked: beside } = lookAt(() => 404, { policyPaths, handler: { httpGet: { port: 8080 } } });
    await otherPath(ofRoot);
    expect(beside).toEqual(['/a', '/healthz', '/own', ...rest]);
  });

  it('is none that redirects: it may lead to a login page', async () => {
    const { look } = lookAt((path) => (path === '/healthz' ? '/login' : path === '/login' ? 200 : 404));
    expect(await otherPath(look)).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, Served>>, string | undefined, number]>([
    ['two answers in a row', { '/b': LATE, '/c': LATE }, undefined, 3],
    ['two answers in a row, behind a success', { '/a': 200, '/b': LATE, '/c': LATE }, '/a', 3],
    ['not for two with another one between', { '/a': LATE, '/c': LATE, '/d': 200 }, '/d', 4 + FOR_LIVENESS.length],
    ['not for refusals', { '/a': REFUSED, '/b': REFUSED, '/c': 200 }, '/c', 4 + FOR_LIVENESS.length],
  ])('is looked for no longer than a person waits: %s', async (_what, served, path, times) => {
    const policyPaths = ['/a', '/b', '/c', '/d'];
    const { look, asked } = lookAt((each) => served[each] ?? 404, { policyPaths });
    expect((await otherPath(look))?.edits.map(({ value }) => value)).toEqual(path && [path]);
    expect(asked).toHaveLength(times);
  });

  it('is none where the container cannot be asked', async () => {
    const { look, asked } = lookAt((path) => {
      if (path !== '/readyz') return 200;
      throw new NotRun('the port-forward has ended');
    }, READINESS);
    expect(await otherPath(look)).toBeUndefined();
    expect(asked).toEqual(['/livez', '/readyz']);
  });
});

it.each([
  ['scheme', wrongScheme],
  ['path', otherPath],
  ['header', localHost],
  ['header', secureProto],
])('a probe that is no HTTP probe gets no %s, and is not asked for one', async (_what, find) => {
  const { look, asked } = lookAt(() => 200, { handler: GRPC, policyPaths: ['/a'] });
  expect([await find(look), asked]).toEqual([undefined, []]);
});
