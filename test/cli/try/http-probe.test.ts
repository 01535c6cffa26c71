import { describe, expect, it } from 'vitest';
import { eventMessage } from '../../../src/cli/try/answer.ts';
import { dial } from '../../../src/cli/try/connection.ts';
import { httpProbe, type HttpProbe } from '../../../src/cli/try/http-probe.ts';
import { sendOver } from '../../../src/cli/try/http-request.ts';
import type { Answer } from '../../../src/cli/try/answer.ts';
import { closedPort, h2, h2c, http, https, tcp } from './probe-servers.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
/** The kubelet's message is behind `Liveness probe `, with PORT; '' for a success. */
type Case = readonly [
  name: string,
  port: () => Promise<number>,
  event: string,
  options?: { readonly probe?: Partial<HttpProbe>; readonly timeout?: number },
];

const status =
  (code: number): Handler =>
  (_request, response) => {
    response.writeHead(code);
    response.end();
  };
const to =
  (location: string, code = 302): Handler =>
  (_request, response) => {
    response.writeHead(code, { location });
    response.end();
  };
const only =
  (isRight: (request: IncomingMessage) => boolean): Handler =>
  (request, response) => {
    response.statusCode = isRight(request) ? 200 : 400;
    response.end();
  };
/** A server that says these bytes to every request. */
const says = (text: string): Promise<number> => tcp((socket) => socket.once('data', () => socket.end(text)));
const GET = 'failed: Get "http://127.0.0.1:PORT/":';
const TLS_GET = 'failed: Get "https://127.0.0.1:PORT/":';
const WAITING = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const READING =
  'errored and resulted in failure state: context deadline exceeded (Client.Timeout or context cancellation while reading body)';
const AWAY = 'warning: Probe terminated redirects, Response body: ';
const TRANSPORT = `${GET} net/http: HTTP/1.x transport connection broken:`;
const BROKEN = `${TRANSPORT} malformed HTTP`;
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const HTTPS = { probe: { isHttps: true } };

const CASES: readonly Case[] = [
  ...[200, 204, 299].map((code): Case => [`status ${code}`, () => http(status(code)), '']),
  ...[400, 401, 403, 404, 429, 500, 503].map((code): Case => [
    `status ${code}`,
    () => http(status(code)),
    `failed: HTTP probe failed with statuscode: ${code}`,
  ]),
  ['status 304, which is no redirect', () => http(status(304)), AWAY],
  ['a redirect to itself', () => http(to('/again')), 'failed: Get "/again": stopped after 10 redirects'],
  [
    'a redirect to a path of the same host',
    () => http((request, response) => (request.url === '/' ? to('/up')(request, response) : response.end())),
    '',
  ],
  [
    'nine redirects in a row',
    () => {
      let left = 9;
      return http((request, response) => (left-- > 0 ? to(`/${left}`)(request, response) : response.end()));
    },
    '',
  ],
  ['a redirect to another host', () => http(to('https://login.example.com/')), AWAY],
  ['a redirect to the same host by another name', () => http(to('http://localhost/')), AWAY],
  ['a redirect without a Location', () => http(status(302)), AWAY],
  [
    'a redirect to another scheme',
    () => http(to('ftp://127.0.0.1/')),
    'failed: Get "ftp://127.0.0.1/": unsupported protocol scheme "ftp"',
  ],
  ['a redirect to another scheme of another host', () => http(to('ftp://files.example.com/')), AWAY],
  [
    'a redirect to what is no URL',
    () => http(to('http://127.0.0.1:9114/a b%zz')),
    `${GET} failed to parse Location header "http://127.0.0.1:9114/a b%zz": parse "http://127.0.0.1:9114/a b%zz": invalid URL escape "%zz"`,
  ],
  ['headers that never come', () => http(() => undefined), `${GET} ${WAITING}`, { timeout: 200 }],
  ['a body that never ends', () => http((_request, response) => response.write('a')), READING, { timeout: 200 }],
  [
    'headers and body that come late together',
    () =>
      http((_request, response) => {
        setTimeout(() => {
          response.writeHead(200);
          response.write('a');
        }, 150);
        setTimeout(() => response.end(), 400);
      }),
    READING,
    { timeout: 300 },
  ],
  [
    'a body of more than 10 KiB that never ends',
    () => http((_request, response) => response.write('a'.repeat(11 * 1024))),
    '',
    { timeout: 500 },
  ],
  [
    'a body that is cut off',
    () =>
      tcp((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'));
      }),
    'errored and resulted in failure state: unexpected EOF',
  ],
  ['nothing on the port', closedPort, `${GET} dial tcp 127.0.0.1:PORT: connect: connection refused`],
  ['a connection that is closed', () => tcp((socket) => socket.end()), `${GET} EOF`],
  [
    'a connection that is closed after the request',
    () => tcp((socket) => socket.once('data', () => socket.end())),
    `${GET} EOF`,
  ],
  [
    'a connection that is reset',
    () => tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    `${GET} read tcp LOCAL->127.0.0.1:PORT: read: connection reset by peer`,
  ],
  [
    'half of a status line',
    () => tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 2'))),
    `${BROKEN} status code "2"`,
  ],
  ['SSH', () => tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n')), `${BROKEN} response "SSH-2.0-OpenSSH_9.7"`],
  [
    'a status that is no number',
    () => tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 abc OK\r\n\r\n'))),
    `${BROKEN} status code "abc"`,
  ],
  [
    'HTTP/2 without TLS',
    () => h2c((stream) => stream.respond({ ':status': 200 }, { endStream: true })),
    `${BROKEN} response "\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00`,
  ],
  ['TLS, asked without', () => https(status(200)), `${GET} EOF`],
  ['TLS', () => https(status(200)), '', HTTPS],
  ['a status over TLS', () => https(status(401)), 'failed: HTTP probe failed with statuscode: 401', HTTPS],
  [
    'plain HTTP, asked with TLS',
    () => http(status(200)),
    `${TLS_GET} http: server gave HTTP response to HTTPS client`,
    HTTPS,
  ],
  [
    'other bytes, asked with TLS',
    () => tcp((socket) => socket.end('220 ready\r\n')),
    `${TLS_GET} tls: first record does not look like a TLS handshake`,
    HTTPS,
  ],
  [
    'a server that wants a client certificate',
    () => https(status(200), { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }),
    `${TLS_GET} remote error: tls: certificate required`,
    HTTPS,
  ],
  [
    'a TLS handshake that never ends',
    () => tcp(() => undefined),
    `${TLS_GET} ${WAITING}`,
    { probe: { isHttps: true }, timeout: 200 },
  ],
  [
    'nothing on the port, asked with TLS',
    closedPort,
    `${TLS_GET} dial tcp 127.0.0.1:PORT: connect: connection refused`,
    HTTPS,
  ],
  ['a TLS connection that is closed at once', () => tcp((socket) => socket.end()), `${TLS_GET} EOF`, HTTPS],
  ['HTTP/2 over TLS', () => h2((stream) => stream.respond({ ':status': 200 }, { endStream: true })), '', HTTPS],
  [
    'a status of HTTP/2 over TLS',
    () => h2((stream) => stream.respond({ ':status': 503 }, { endStream: true })),
    'failed: HTTP probe failed with statuscode: 503',
    HTTPS,
  ],
  ['line ends without CR', () => says('HTTP/1.1 200 OK\n\nok'), ''],
  ['HTTP/1.0 without a length', () => says('HTTP/1.0 200 OK\r\n\r\nok'), ''],
  ['early hints', () => says('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'), ''],
  [
    'an upgrade that nobody asked for',
    () => says('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    'failed: HTTP probe failed with statuscode: 101',
  ],
  ['a status of two digits', () => says('HTTP/1.1 20 OK\r\n\r\n'), `${BROKEN} status code "20"`],
  ['a version that does not exist', () => says('HTTP/two 200 OK\r\n\r\n'), `${BROKEN} version "HTTP/two"`],
  [
    'a header without a colon',
    () => says('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'),
    `${TRANSPORT} malformed MIME header: missing colon: "nonsense"`,
  ],
  [
    'a header without a name',
    () => says('HTTP/1.1 200 OK\r\n: novalue\r\n\r\n'),
    `${TRANSPORT} malformed MIME header line: : novalue`,
  ],
  ['a header over two lines', () => says('HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\r\n'), ''],
  [
    'two lengths',
    () => says('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok'),
    `${TRANSPORT} http: message cannot contain multiple Content-Length headers; got ["1" "2"]`,
  ],
  ['the same length twice', () => says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'), ''],
  [
    'a length that is no number',
    () => says('HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nok'),
    `${TRANSPORT} bad Content-Length "abc"`,
  ],
  [
    'an encoding that is not chunked',
    () => says('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok'),
    `${TRANSPORT} unsupported transfer encoding: "gzip"`,
  ],
  ['a status below 100', () => says('HTTP/1.1 099 OK\r\n\r\n'), 'failed: HTTP probe failed with statuscode: 99'],
  ['headers that are cut off', () => says('HTTP/1.1 200 OK\r\nA: b\r\n'), `${TRANSPORT} unexpected EOF`],
  ['a header of 32 KiB', () => says(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(32 * 1024)}\r\n\r\n`), ''],
  ['chunks', () => says(CHUNKED + '2\r\nok\r\n0\r\n\r\n'), ''],
  [
    'chunks that are cut off',
    () => says(CHUNKED + '20\r\nok'),
    'errored and resulted in failure state: unexpected EOF',
  ],
  [
    'chunks that are none',
    () => says(CHUNKED + 'ok\r\n'),
    'errored and resulted in failure state: invalid byte in chunk length',
  ],
  ['a check of the User-Agent', () => http(only(({ headers }) => headers['user-agent'] === 'kube-probe/1.36')), ''],
  [
    'a User-Agent of the manifest',
    () => http(only(({ headers }) => headers['user-agent'] === 'mine')),
    '',
    { probe: { headers: [['User-Agent', 'mine']] } },
  ],
  [
    'an Accept that the manifest empties',
    () => http(only(({ headers }) => headers.accept === undefined)),
    '',
    { probe: { headers: [['Accept', '']] } },
  ],
  [
    'no compression and no kept connection',
    () =>
      http(
        only(
          ({ headers }) =>
            headers['accept-encoding'] === undefined && headers.accept === '*/*' && headers.connection === 'close',
        ),
      ),
    '',
  ],
  [
    'a check of the Host',
    () => http(only(({ headers }) => headers.host === 'shop.example.com')),
    'failed: HTTP probe failed with statuscode: 400',
  ],
  [
    'a Host of the manifest',
    () => http(only(({ headers }) => headers.host === 'shop.example.com')),
    '',
    { probe: { headers: [['Host', 'shop.example.com']] } },
  ],
  [
    'a header twice',
    () => http(only(({ headers }) => headers['x-a'] === '1, 2')),
    '',
    {
      probe: {
        headers: [
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      },
    },
  ],
  [
    'a header with a line break',
    () => http(status(200)),
    `${GET} net/http: invalid header field value for "X-A"`,
    { probe: { headers: [['X-A', 'a\r\nb: c']] } },
  ],
  [
    'a path with a query',
    () => http(only(({ url }) => url === '/health?full=1')),
    '',
    { probe: { path: '/health?full=1' } },
  ],
  [
    'an address of IPv6',
    () => http(status(404), '::1'),
    'failed: HTTP probe failed with statuscode: 404',
    { probe: { host: '::1' } },
  ],
  [
    'a host that nobody knows',
    closedPort,
    'failed: Get "http://nowhere.invalid:PORT/": dial tcp: lookup nowhere.invalid: no such host',
    { probe: { host: 'nowhere.invalid' }, timeout: 5000 },
  ],
];

function ask(probe: HttpProbe, timeout: number): Promise<Answer> {
  const send = sendOver((port, signal) => dial({ ...probe, port }, { ...probe, port }, signal));
  return httpProbe(probe, timeout, send);
}

describe('an HTTP probe', () => {
  for (const [name, start, event, { probe, timeout = 3000 } = {}] of CASES)
    it(`gets the verdict of the kubelet from ${name}`, async () => {
      const port = await start();
      const answer = await ask({ isHttps: false, host: '127.0.0.1', port, path: '/', headers: [], ...probe }, timeout);
      const message = eventMessage('livenessProbe', answer)
        .replace(/read tcp [\d.:]+->/, 'read tcp LOCAL->')
        .replaceAll(String(port), 'PORT');
      if (event === '') expect(message).toBe('');
      else expect(message.startsWith(`Liveness probe ${event}`), `${message}\n${event}`).toBe(true);
    });

  it('says when a body is longer than what the kubelet reads', async () => {
    const port = await http((_request, response) => response.end('a'.repeat(10 * 1024 + 1)));
    const probe = { isHttps: false, host: '127.0.0.1', port, path: '/', headers: [] };
    expect(await ask(probe, 1000)).toEqual({ result: 'success', text: '', code: 200, isLong: true });
  });
});
