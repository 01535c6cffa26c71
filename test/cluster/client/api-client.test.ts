import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, ApiError, type ApiRequest } from '../../../src/cluster/client/api-client.ts';
import { startFakeApiServer, type FakeApiServer, type Fault } from './fake-api-server.ts';
import { waitUntil } from './wait-until.ts';
import type { ClusterAccess } from '../../../src/cluster/client/cluster-access.ts';

const namespaces = '/api/v1/namespaces';
const watching = { method: 'GET', path: namespaces, query: { watch: 'true', allowWatchBookmarks: 'true' } } as const;
let api: FakeApiServer;
let client: ApiClient;

beforeEach(async () => {
  api = await startFakeApiServer();
  client = new ApiClient(api.access, 'probewright/1.2.3');
});
afterEach(() => api.stop());

/** What an attempt that must fail says. */
async function failure(attempt: Promise<unknown>): Promise<Error> {
  const error = await attempt.catch((problem: unknown) => problem);
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

const get = (options: Partial<ApiRequest> = {}, by = client): Promise<unknown> =>
  by.request({ method: 'GET', path: namespaces, ...options });
const impatient = (milliseconds = 150): ApiClient => new ApiClient(api.access, 'test', milliseconds);
const silent = { line: () => undefined, opened: () => undefined };
/** A watch that is open, and ends when the server ends it. */
async function opened(by = client, listener: Parameters<ApiClient['lines']>[1] = silent): Promise<() => Promise<void>> {
  const whole = by.lines(watching, listener);
  await waitUntil('the watch is open', () => api.openWatches() === 1);
  return async () => {
    api.disturbWatches('end');
    await whole;
  };
}

describe('request', () => {
  it('sends what it is, whom it speaks for and what it wants to hear', async () => {
    await get({ query: { fieldSelector: 'metadata.name=a&b' } });
    expect(api.requests[0]).toMatchObject({
      method: 'GET',
      path: namespaces,
      query: { fieldSelector: 'metadata.name=a&b' },
      headers: { accept: 'application/json', 'user-agent': 'probewright/1.2.3', authorization: 'Bearer fake-token' },
      contentType: undefined,
      body: undefined,
    });
  });

  it('sends its body as JSON with its length in bytes, under the content type of a patch when it is one', async () => {
    const body = { metadata: { name: 'a', annotations: { greeting: 'grüß dich' } } };
    await client.request({ method: 'POST', path: namespaces, body });
    const contentType = 'application/merge-patch+json';
    await client.request({ method: 'PATCH', path: `${namespaces}/a`, contentType, body });
    expect(api.requests).toMatchObject([
      { method: 'POST', contentType: 'application/json', body },
      { method: 'PATCH', contentType, body },
    ]);
    expect(api.requests[0]?.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(body))));
  });

  it('rejects with code, reason and words of the Status that the API server answers', async () => {
    const error = await failure(client.request({ method: 'GET', path: `${namespaces}/x` }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'GET /api/v1/namespaces/x: HTTP 404 NotFound: namespaces "x" not found',
    });
  });

  it.each([
    ['<html>Bad Gateway</html>', 'GET /api/v1/namespaces: HTTP 502: <html>Bad Gateway</html>'],
    ['x'.repeat(10_000), `GET /api/v1/namespaces: HTTP 502: ${'x'.repeat(197)}...`],
    [{ message: 'no Status' }, 'GET /api/v1/namespaces: HTTP 502: {"message":"no Status"}\n'],
    [undefined, 'GET /api/v1/namespaces: HTTP 502'],
  ])('tells of a refusal that is no Status by its beginning', async (body, message) => {
    api.intercept(() => ({ status: 502, body }));
    const error = await failure(get());
    expect(error).toMatchObject({ code: 502, reason: '', message });
  });

  it('rejects an answer that is no JSON though the API server agreed', async () => {
    api.intercept(() => ({ status: 200, body: '<html>Please log in</html>' }));
    const error = await failure(get());
    expect(error.message).toBe('GET /api/v1/namespaces: the answer is not JSON: <html>Please log in</html>');
  });

  it('says which request it was when there is no connection', async () => {
    await api.pause();
    const error = await failure(get());
    expect(error.message).toMatch(/^GET \/api\/v1\/namespaces: connect ECONNREFUSED/);
  });

  it.each<[string, Fault, Partial<ApiRequest>, string]>([
    ['the connection is cut', 'cut', {}, 'socket hang up'],
    ['nothing is heard', 'hang', {}, 'nothing was heard for 0.15 s'],
    ['nothing is heard for as long as it allows', 'hang', { timeoutMilliseconds: 100 }, 'nothing was heard for 0.1 s'],
  ])('says which request it was when %s', async (_, fault, options, message) => {
    api.intercept(() => fault);
    expect((await failure(get(options, impatient()))).message).toBe(`GET /api/v1/namespaces: ${message}`);
  });

  it('does not wait for a connection any longer, as when packets vanish', async () => {
    const nowhere: ClusterAccess = {
      ...api.access,
      // A socket that goes on connecting for ever.
      requestOptions: () =>
        Promise.resolve({ createConnection: () => Object.assign(new Socket(), { connecting: true }) }),
    };
    const error = await failure(get({}, new ApiClient(nowhere, 'test', 150)));
    expect(error.message).toBe('GET /api/v1/namespaces: nothing was heard for 0.15 s');
  });

  it('ends at once when aborted', async () => {
    api.intercept(() => 'hang');
    const aborter = new AbortController();
    const attempt = failure(get({ signal: aborter.signal }));
    await waitUntil('the request has arrived', () => api.requests.length === 1);
    aborter.abort();
    expect((await attempt).message).toBe('GET /api/v1/namespaces: The operation was aborted');
  });

  it('does not even ask when aborted before', async () => {
    await failure(get({ signal: AbortSignal.abort() }));
    expect(api.requests).toEqual([]);
  });

  it('asks for credentials anew with each request', async () => {
    let token = 0;
    const access: ClusterAccess = {
      ...api.access,
      requestOptions: () => Promise.resolve({ agent: false, headers: { Authorization: `Bearer ${++token}` } }),
    };
    const renewing = new ApiClient(access, 'test');
    await get({}, renewing);
    await get({}, renewing);
    expect(api.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
  });
});

describe('lines', () => {
  it('hands over line by line and resolves when the server ends', async () => {
    const seen: string[] = [];
    let openings = 0;
    const end = await opened(client, { line: (text) => seen.push(text), opened: () => openings++ });
    api.put(namespaces, { metadata: { name: 'a' } });
    await waitUntil('the event has come', () => seen.some((line) => line.includes('"ADDED"')));
    await end();
    expect(openings).toBe(1);
    for (const line of seen) expect(JSON.parse(line)).toHaveProperty('type');
  });

  it('rejects with the Status when the API server refuses', async () => {
    api.intercept(() => ({ status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'no' } }));
    let openings = 0;
    const error = await failure(client.lines(watching, { ...silent, opened: () => openings++ }));
    expect(error).toMatchObject({ code: 403, message: 'WATCH /api/v1/namespaces: HTTP 403 Forbidden: no' });
    expect(openings).toBe(0);
  });

  it('go on after a silence, however long: a quiet collection has nothing to say', async () => {
    api.bookmarks(false);
    const seen: string[] = [];
    const end = await opened(impatient(50), { ...silent, line: (text) => seen.push(text) });
    await sleep(300);
    api.put(namespaces, { metadata: { name: 'a' } });
    await waitUntil('the event has come', () => seen.length === 1);
    await end();
  });

  const isLinux = process.platform === 'linux';
  if (!isLinux)
    console.warn('the keep-alive of connections is not tested: only Linux shows its timers in /proc/net/tcp');
  it.skipIf(!isLinux)(
    'come over a connection that the kernel probes, so that a peer that vanished is noticed',
    async () => {
      const end = await opened();
      const port = Number(new URL(api.access.server).port).toString(16).toUpperCase().padStart(4, '0');
      const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
      // local_address, rem_address, st, tx_queue:rx_queue, tr:tm->when; tr 02 is the keep-alive timer, in hundredths of a second.
      // A socket of an earlier test may linger in TIME_WAIT; st 01 is an established connection.
      const timers = sockets
        .filter(([, , remote, state]) => remote === `0100007F:${port}` && state === '01')
        .map((fields) => fields[5] ?? '');
      const [kind, when = ''] = timers[0]?.split(':') ?? [];
      expect([timers.length, kind]).toEqual([1, '02']);
      expect(parseInt(when, 16)).toBeLessThanOrEqual(1500);
      await end();
    },
  );

  it('rejects when the stream never opens', async () => {
    api.intercept(() => 'hang');
    expect((await failure(impatient().lines(watching, silent))).message).toBe(
      'WATCH /api/v1/namespaces: nothing was heard for 0.15 s',
    );
  });

  it('rejects when the connection is cut', async () => {
    const cut = (): void => api.disturbWatches('cut');
    const error = await failure(client.lines(watching, { ...silent, opened: cut }));
    expect(error.message).toBe('WATCH /api/v1/namespaces: aborted');
  });

  it('ends when aborted in the middle of the stream, and leaves no connection behind', async () => {
    const aborter = new AbortController();
    const request = { ...watching, signal: aborter.signal };
    await failure(client.lines(request, { ...silent, line: () => aborter.abort() }));
    await waitUntil('the server has lost the connection', () => api.openWatches() === 0);
  });

  describe('from a server that sends what it likes', () => {
    let server: Server;
    let send: (response: ServerResponse) => Promise<void>;

    beforeEach(async () => {
      server = createServer((_, response) => void send(response));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
      send = async (response) => {
        response.flushHeaders();
        // One at a time, or they would arrive as one.
        for (const chunk of chunks) await new Promise<void>((sent) => response.write(chunk, () => setTimeout(sent, 5)));
        response.end();
      };
      const seen: string[] = [];
      const { port } = server.address() as AddressInfo;
      const near = new ApiClient({ ...api.access, server: `http://127.0.0.1:${port}` }, 'test');
      await near.lines(watching, { ...silent, line: (text) => seen.push(text) });
      return seen;
    }

    it('rejects an answer that falls silent before its end', async () => {
      send = (response) => {
        response.write('{"kind":');
        return Promise.resolve();
      };
      const { port } = server.address() as AddressInfo;
      const near = new ApiClient({ ...api.access, server: `http://127.0.0.1:${port}` }, 'test', 50);
      expect((await failure(get({}, near))).message).toBe('GET /api/v1/namespaces: nothing was heard for 0.05 s');
    });

    it('rejects an answer and a line that are longer than what is read', async () => {
      send = async (response) => {
        for (let piece = 0; piece < 5; piece++) response.write(Buffer.alloc(1024 * 1024, 'a'));
        await Promise.resolve();
        response.end();
      };
      const { port } = server.address() as AddressInfo;
      const near = new ApiClient({ ...api.access, server: `http://127.0.0.1:${port}` }, 'test');
      const messages = [get({}, near), get({ mostBytes: 2 * 1024 * 1024 }, near), near.lines(watching, silent)].map(
        async (answer) => (await failure(answer)).message,
      );
      expect(await Promise.all(messages)).toEqual([
        'GET /api/v1/namespaces: the answer has more than 4 MiB',
        'GET /api/v1/namespaces: the answer has more than 2 MiB',
        'WATCH /api/v1/namespaces: a line has more than 4 MiB',
      ]);
    });

    it('puts lines together that come in pieces, also in the middle of a character', async () => {
      const bytes = Buffer.from('{"grüße":"日本"}\n{"b":2}\n\n{"c":3}\n');
      const pieces = Array.from(bytes, (byte) => Buffer.of(byte));
      expect(await linesOf(pieces)).toEqual(['{"grüße":"日本"}', '{"b":2}', '{"c":3}']);
    });

    it('tells of half a line at the end too, as it stands for an event that is lost', async () =>
      expect(await linesOf([Buffer.from('{"a":1}\n{"b":')])).toEqual(['{"a":1}', '{"b":']));
  });
});
