import { describe, expect, it } from 'vitest';
import { NotRun } from '../../../src/cli/try/answer.ts';
import { dial, GoError, type Connect } from '../../../src/cli/try/connection.ts';
import { readBody, type Head } from '../../../src/cli/try/http-probe.ts';
import { http2Code, probeHeaders, sendOver } from '../../../src/cli/try/http-request.ts';
import { startDescribed, type DescribedServer } from './described-servers.ts';
import { h2, tcp } from './probe-servers.ts';

describe('the headers of a request', () => {
  const AGENT = ['User-Agent', 'kube-probe/1.36'];

  it('are those of the kubelet without headers of the manifest', () => {
    expect(probeHeaders([])).toEqual([AGENT, ['Accept', '*/*']]);
  });

  it('are sorted by name, with the names in the form of Go', () => {
    expect(
      probeHeaders([
        ['x-b', '1'],
        ['ABC-dEF-1g', '2'],
        ['zz', '3'],
        ['-x', '4'],
      ]),
    ).toEqual([AGENT, ['-X', '4'], ['Abc-Def-1g', '2'], ['Accept', '*/*'], ['X-B', '1'], ['Zz', '3']]);
  });

  it('have the first User-Agent and Accept of the manifest, and none where the manifest empties them', () => {
    expect(
      probeHeaders([
        ['USER-agent', 'mine'],
        ['user-agent', 'other'],
        ['accept', 'text/html'],
      ]),
    ).toEqual([
      ['User-Agent', 'mine'],
      ['Accept', 'text/html'],
    ]);
    expect(
      probeHeaders([
        ['User-Agent', ''],
        ['Accept', ''],
        ['A', ''],
      ]),
    ).toEqual([['A', '']]);
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'TRAILER'])('have no %s of the manifest', (name) => {
    expect(probeHeaders([[name, 'x']])).toEqual([AGENT, ['Accept', '*/*']]);
  });

  it('with a control character are not sent: the first such header is named', () => {
    const send = () =>
      probeHeaders([
        ['a', 'fine\t'],
        ['x-bad', 'a\nb'],
        ['x-worse', '\u0000'],
      ]);
    expect(send).toThrow(new GoError('net/http: invalid header field value for "X-Bad"'));
  });
});

it.each([
  [0, 'NO_ERROR'],
  [1, 'PROTOCOL_ERROR'],
  [11, 'ENHANCE_YOUR_CALM'],
  [13, 'HTTP_1_1_REQUIRED'],
  [14, 'unknown error code 0xe'],
  [99, 'unknown error code 0x63'],
])('the code %d of HTTP/2 is %s', (code, name) => {
  expect(http2Code(code)).toBe(name);
});

/** Sends one request, to a server that listens on another port than the one that is shown. */
function ask(local: number, scheme = 'http', headers: readonly (readonly [string, string])[] = []): Promise<Head> {
  const connect: Connect = (port, signal) =>
    dial({ host: '127.0.0.1', port: local }, { host: '127.0.0.1', port }, signal);
  const url = { scheme, host: '127.0.0.1', port: 8080, authority: '127.0.0.1:8080', target: '/live?x=1' };
  return sendOver(connect)(url, headers, AbortSignal.timeout(5000));
}

describe('a request of HTTP/1.1', () => {
  const seen = async (...headers: readonly (readonly [string, string])[]): Promise<string> => {
    const request = Promise.withResolvers<string>();
    const port = await tcp((socket) =>
      socket.once('data', (bytes) => {
        request.resolve(String(bytes));
        socket.end('HTTP/1.1 204 No Content\r\n\r\n');
      }),
    );
    expect((await ask(port, 'http', headers)).status).toBe(204);
    return request.promise;
  };

  it('has Host first and Connection last', async () => {
    expect(await seen(['X-A', 'b'])).toBe(
      'GET /live?x=1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: kube-probe/1.36\r\nAccept: */*\r\nX-A: b\r\nConnection: close\r\n\r\n',
    );
  });

  it('has the Host of the manifest, if it is not empty', async () => {
    expect(await seen(['host', 'shop'])).toContain('\r\nHost: shop\r\n');
    expect(await seen(['Host', ''])).toContain('\r\nHost: 127.0.0.1:8080\r\n');
  });

  it('ends with the signal', async () => {
    const closed = Promise.withResolvers<string>();
    const port = await tcp((socket) => {
      socket.resume();
      socket.on('close', () => closed.resolve('closed'));
    });
    const end = new AbortController();
    const connect: Connect = (_port, signal) => dial({ host: '127.0.0.1', port }, { host: 'web', port: 1 }, signal);
    const url = { scheme: 'http', host: 'web', port: 1, authority: 'web:1', target: '/' };
    const answer = sendOver(connect)(url, [], end.signal);
    setTimeout(() => end.abort(), 20);
    await expect(answer).rejects.toThrow();
    expect(await closed.promise).toBe('closed');
  });

  it('is not sent where the target cannot be asked', async () => {
    const refuses: Connect = () => Promise.reject(new NotRun('no way'));
    const url = { scheme: 'http', host: 'web', port: 1, authority: 'web:1', target: '/' };
    await expect(sendOver(refuses)(url, [], AbortSignal.timeout(1000))).rejects.toThrow(new NotRun('no way'));
  });

  it('that is reset has the addresses of the connection as Go prints them', async () => {
    const port = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    await expect(ask(port)).rejects.toThrow(
      /^read tcp 127\.0\.0\.1:\d+->127\.0\.0\.1:8080: read: connection reset by peer$/,
    );
  });
});

describe('a request over TLS', () => {
  it('is one of HTTP/2 where the server speaks it, with the headers but Connection', async () => {
    const seen: Record<string, unknown>[] = [];
    const port = await h2((stream, headers) => {
      seen.push(headers);
      stream.respond({ ':status': 302, location: '/up' }, { endStream: true });
    });
    const { status, location } = await ask(port, 'https', [
      ['Host', 'shop'],
      ['connection', 'x'],
      ['X-A', 'b'],
    ]);
    expect({ status, location }).toEqual({ status: 302, location: '/up' });
    expect(seen[0]).toMatchObject({
      ...{ ':method': 'GET', ':path': '/live?x=1', ':authority': 'shop', ':scheme': 'https' },
      ...{ 'user-agent': 'kube-probe/1.36', accept: '*/*', 'x-a': 'b' },
    });
  });

  const said = async (server: DescribedServer): Promise<string> => {
    try {
      const { status, body } = await ask(await startDescribed(server), 'https');
      return `${status} ${String(await readBody(body))}`;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const goaway = (last: number, code: string): string =>
    `http2: server sent GOAWAY and closed the connection; LastStreamID=${last}, ErrCode=${code}, debug=""`;

  it.each<[DescribedServer, string]>([
    [{ protocol: 'https', status: 401 }, '401 '],
    [{ protocol: 'h2', status: 204 }, '204 '],
    [{ protocol: 'h2', resets: 'after the request' }, 'stream error: stream ID 1; INTERNAL_ERROR; received from peer'],
    [
      { protocol: 'h2', resets: 'after the request', saysFirst: true },
      'stream error: stream ID 1; INTERNAL_ERROR; received from peer',
    ],
    [{ protocol: 'h2', closes: 'after the request' }, goaway(1, 'NO_ERROR')],
    [{ protocol: 'h2', closes: 'after the request', saysFirst: true }, goaway(1, 'NO_ERROR')],
    [{ protocol: 'h2', goaway: 11 }, goaway(1, 'ENHANCE_YOUR_CALM')],
    [{ protocol: 'https', tls: { ALPNProtocols: ['h2'] } }, 'connection error: PROTOCOL_ERROR'],
    [{ status: 200 }, 'http: server gave HTTP response to HTTPS client'],
  ])('has the words of Go: %j', async (server, expected) => {
    expect(await said(server)).toBe(expected);
  });

  it('that a GOAWAY ends has the reason of the server', async () => {
    const port = await h2((stream) => {
      stream.session?.goaway(2, 1, Buffer.from('why"'));
      setTimeout(() => stream.session?.destroy(), 20);
    });
    await expect(ask(port, 'https')).rejects.toThrow('LastStreamID=1, ErrCode=INTERNAL_ERROR, debug="why\\""');
  });

  it.each([6, 9000, 40_000])(
    'has the whole body of %d bytes, also when it comes at once with its end',
    async (bytes) => {
      const port = await h2((stream) => {
        stream.respond({ ':status': 200 });
        stream.end('a'.repeat(bytes));
      });
      const { body } = await ask(port, 'https');
      // A caller may look at the head first.
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await readBody(body, Infinity)).toHaveLength(bytes);
    },
  );
});
