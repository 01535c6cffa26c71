import { describe, expect, it } from 'vitest';
import { eventMessage } from '../../../src/cli/try/answer.ts';
import { dial } from '../../../src/cli/try/connection.ts';
import { httpProbe, type HttpProbe } from '../../../src/cli/try/http-probe.ts';
import { sendOver } from '../../../src/cli/try/http-request.ts';
import type { Answer } from '../../../src/cli/try/answer.ts';
import { closedPort, h2, h2c, http, https, tcp } from './probe-servers.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
interface Case {
  readonly name: string;
  readonly port: () => Promise<number>;
  readonly probe?: Partial<HttpProbe>;
  readonly timeout?: number;
  /** The kubelet's message behind `Liveness probe `, with PORT; '' for a success. */
  readonly event: string;
}

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
const BROKEN = `${GET} net/http: HTTP/1.x transport connection broken: malformed HTTP`;

const CASES: readonly Case[] = [
  ...[200, 204, 299].map((code) => ({ name: `status ${code}`, port: () => http(status(code)), event: '' })),
  ...[400, 401, 403, 404, 429, 500, 503].map((code) => ({
    name: `status ${code}`,
    port: () => http(status(code)),
    event: `failed: HTTP probe failed with statuscode: ${code}`,
  })),
  { name: 'status 304, which is no redirect', port: () => http(status(304)), event: AWAY },
  {
    name: 'a redirect to itself',
    port: () => http(to('/again')),
    event: 'failed: Get "/again": stopped after 10 redirects',
  },
  {
    name: 'a redirect to a path of the same host',
    port: () => http((request, response) => (request.url === '/' ? to('/up')(request, response) : response.end())),
    event: '',
  },
  {
    name: 'nine redirects in a row',
    port: () => {
      let left = 9;
      return http((request, response) => (left-- > 0 ? to(`/${left}`)(request, response) : response.end()));
    },
    event: '',
  },
  { name: 'a redirect to another host', port: () => http(to('https://login.example.com/')), event: AWAY },
  {
    name: 'a redirect to the same host by another name',
    port: () => http(to('http://localhost/')),
    event: AWAY,
  },
  { name: 'a redirect without a Location', port: () => http(status(302)), event: AWAY },
  {
    name: 'a redirect to another scheme',
    port: () => http(to('ftp://127.0.0.1/')),
    event: 'failed: Get "ftp://127.0.0.1/": unsupported protocol scheme "ftp"',
  },
  {
    name: 'a redirect to another scheme of another host',
    port: () => http(to('ftp://files.example.com/')),
    event: AWAY,
  },
  {
    name: 'a redirect to what is no URL',
    port: () => http(to('http://127.0.0.1:9114/a b%zz')),
    event: `${GET} failed to parse Location header "http://127.0.0.1:9114/a b%zz": parse "http://127.0.0.1:9114/a b%zz": invalid URL escape "%zz"`,
  },
  { name: 'headers that never come', port: () => http(() => undefined), timeout: 200, event: `${GET} ${WAITING}` },
  {
    name: 'a body that never ends',
    port: () => http((_request, response) => response.write('a')),
    timeout: 200,
    event: READING,
  },
  {
    name: 'headers and body that come late together',
    port: () =>
      http((_request, response) => {
        setTimeout(() => {
          response.writeHead(200);
          response.write('a');
        }, 150);
        setTimeout(() => response.end(), 400);
      }),
    timeout: 300,
    event: READING,
  },
  {
    name: 'a body of more than 10 KiB that never ends',
    port: () => http((_request, response) => response.write('a'.repeat(11 * 1024))),
    timeout: 500,
    event: '',
  },
  {
    name: 'a body that is cut off',
    port: () =>
      tcp((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'));
      }),
    event: 'errored and resulted in failure state: unexpected EOF',
  },
  {
    name: 'nothing on the port',
    port: closedPort,
    event: `${GET} dial tcp 127.0.0.1:PORT: connect: connection refused`,
  },
  { name: 'a connection that is closed', port: () => tcp((socket) => socket.end()), event: `${GET} EOF` },
  {
    name: 'a connection that is closed after the request',
    port: () => tcp((socket) => socket.once('data', () => socket.end())),
    event: `${GET} EOF`,
  },
  {
    name: 'a connection that is reset',
    port: () => tcp((socket) => socket.once('data', () => socket.resetAndDestroy())),
    event: `${GET} read tcp LOCAL->127.0.0.1:PORT: read: connection reset by peer`,
  },
  {
    name: 'half of a status line',
    port: () => tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 2'))),
    event: `${BROKEN} status code "2"`,
  },
  {
    name: 'SSH',
    port: () => tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n')),
    event: `${BROKEN} response "SSH-2.0-OpenSSH_9.7"`,
  },
  {
    name: 'a status that is no number',
    port: () => tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 abc OK\r\n\r\n'))),
    event: `${BROKEN} status code "abc"`,
  },
  {
    name: 'HTTP/2 without TLS',
    port: () => h2c((stream) => stream.respond({ ':status': 200 }, { endStream: true })),
    event: `${BROKEN} response "\\x00\\x00\\x00\\x04\\x00\\x00\\x00\\x00\\x00`,
  },
  {
    name: 'TLS, asked without',
    port: () => https(status(200)),
    event: `${GET} EOF`,
  },
  { name: 'TLS', port: () => https(status(200)), probe: { isHttps: true }, event: '' },
  {
    name: 'a status over TLS',
    port: () => https(status(401)),
    probe: { isHttps: true },
    event: 'failed: HTTP probe failed with statuscode: 401',
  },
  {
    name: 'plain HTTP, asked with TLS',
    port: () => http(status(200)),
    probe: { isHttps: true },
    event: `${TLS_GET} http: server gave HTTP response to HTTPS client`,
  },
  {
    name: 'other bytes, asked with TLS',
    port: () => tcp((socket) => socket.end('220 ready\r\n')),
    probe: { isHttps: true },
    event: `${TLS_GET} tls: first record does not look like a TLS handshake`,
  },
  {
    name: 'a server that wants a client certificate',
    port: () => https(status(200), { requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' }),
    probe: { isHttps: true },
    event: `${TLS_GET} remote error: tls: certificate required`,
  },
  {
    name: 'a TLS handshake that never ends',
    port: () => tcp(() => undefined),
    probe: { isHttps: true },
    timeout: 200,
    event: `${TLS_GET} ${WAITING}`,
  },
  {
    name: 'nothing on the port, asked with TLS',
    port: closedPort,
    probe: { isHttps: true },
    event: `${TLS_GET} dial tcp 127.0.0.1:PORT: connect: connection refused`,
  },
  {
    name: 'a TLS connection that is closed at once',
    port: () => tcp((socket) => socket.end()),
    probe: { isHttps: true },
    event: `${TLS_GET} EOF`,
  },
  {
    name: 'HTTP/2 over TLS',
    port: () => h2((stream) => stream.respond({ ':status': 200 }, { endStream: true })),
    probe: { isHttps: true },
    event: '',
  },
  {
    name: 'a status of HTTP/2 over TLS',
    port: () => h2((stream) => stream.respond({ ':status': 503 }, { endStream: true })),
    probe: { isHttps: true },
    event: 'failed: HTTP probe failed with statuscode: 503',
  },
  {
    name: 'line ends without CR',
    port: () => says('HTTP/1.1 200 OK\n\nok'),
    event: '',
  },
  {
    name: 'HTTP/1.0 without a length',
    port: () => says('HTTP/1.0 200 OK\r\n\r\nok'),
    event: '',
  },
  {
    name: 'early hints',
    port: () => says('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n'),
    event: '',
  },
  {
    name: 'an upgrade that nobody asked for',
    port: () => says('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    event: 'failed: HTTP probe failed with statuscode: 101',
  },
  {
    name: 'a status of two digits',
    port: () => says('HTTP/1.1 20 OK\r\n\r\n'),
    event: `${BROKEN} status code "20"`,
  },
  {
    name: 'a version that does not exist',
    port: () => says('HTTP/two 200 OK\r\n\r\n'),
    event: `${BROKEN} version "HTTP/two"`,
  },
  {
    name: 'a header without a colon',
    port: () => says('HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: malformed MIME header: missing colon: "nonsense"`,
  },
  {
    name: 'a header without a name',
    port: () => says('HTTP/1.1 200 OK\r\n: novalue\r\n\r\n'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: malformed MIME header line: : novalue`,
  },
  {
    name: 'a header over two lines',
    port: () => says('HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\r\n'),
    event: '',
  },
  {
    name: 'two lengths',
    port: () => says('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: http: message cannot contain multiple Content-Length headers; got ["1" "2"]`,
  },
  {
    name: 'the same length twice',
    port: () => says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok'),
    event: '',
  },
  {
    name: 'a length that is no number',
    port: () => says('HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\nok'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: bad Content-Length "abc"`,
  },
  {
    name: 'an encoding that is not chunked',
    port: () => says('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nok'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: unsupported transfer encoding: "gzip"`,
  },
  {
    name: 'a status below 100',
    port: () => says('HTTP/1.1 099 OK\r\n\r\n'),
    event: 'failed: HTTP probe failed with statuscode: 99',
  },
  {
    name: 'headers that are cut off',
    port: () => says('HTTP/1.1 200 OK\r\nA: b\r\n'),
    event: `${GET} net/http: HTTP/1.x transport connection broken: unexpected EOF`,
  },
  {
    name: 'a header of 32 KiB',
    port: () => says(`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(32 * 1024)}\r\n\r\n`),
    event: '',
  },
  {
    name: 'chunks',
    port: () => says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
    event: '',
  },
  {
    name: 'chunks that are cut off',
    port: () => says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nok'),
    event: 'errored and resulted in failure state: unexpected EOF',
  },
  {
    name: 'chunks that are none',
    port: () => says('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nok\r\n'),
    event: 'errored and resulted in failure state: invalid byte in chunk length',
  },
  {
    name: 'a check of the User-Agent',
    port: () => http(only(({ headers }) => headers['user-agent'] === 'kube-probe/1.36')),
    event: '',
  },
  {
    name: 'a User-Agent of the manifest',
    port: () => http(only(({ headers }) => headers['user-agent'] === 'mine')),
    probe: { headers: [['User-Agent', 'mine']] },
    event: '',
  },
  {
    name: 'an Accept that the manifest empties',
    port: () => http(only(({ headers }) => headers.accept === undefined)),
    probe: { headers: [['Accept', '']] },
    event: '',
  },
  {
    name: 'no compression and no kept connection',
    port: () =>
      http(
        only(
          ({ headers }) =>
            headers['accept-encoding'] === undefined && headers.accept === '*/*' && headers.connection === 'close',
        ),
      ),
    event: '',
  },
  {
    name: 'a check of the Host',
    port: () => http(only(({ headers }) => headers.host === 'shop.example.com')),
    event: 'failed: HTTP probe failed with statuscode: 400',
  },
  {
    name: 'a Host of the manifest',
    port: () => http(only(({ headers }) => headers.host === 'shop.example.com')),
    probe: { headers: [['Host', 'shop.example.com']] },
    event: '',
  },
  {
    name: 'a header twice',
    port: () => http(only(({ headers }) => headers['x-a'] === '1, 2')),
    probe: {
      headers: [
        ['X-A', '1'],
        ['x-a', '2'],
      ],
    },
    event: '',
  },
  {
    name: 'a header with a line break',
    port: () => http(status(200)),
    probe: { headers: [['X-A', 'a\r\nb: c']] },
    event: `${GET} net/http: invalid header field value for "X-A"`,
  },
  {
    name: 'a path with a query',
    port: () => http(only(({ url }) => url === '/health?full=1')),
    probe: { path: '/health?full=1' },
    event: '',
  },
  {
    name: 'an address of IPv6',
    port: () => http(status(404), '::1'),
    probe: { host: '::1' },
    event: 'failed: HTTP probe failed with statuscode: 404',
  },
  {
    name: 'a host that nobody knows',
    port: closedPort,
    probe: { host: 'nowhere.invalid' },
    timeout: 5000,
    event: 'failed: Get "http://nowhere.invalid:PORT/": dial tcp: lookup nowhere.invalid: no such host',
  },
];

function ask(probe: HttpProbe, timeout: number): Promise<Answer> {
  const send = sendOver((port, signal) => dial({ ...probe, port }, { ...probe, port }, signal));
  return httpProbe(probe, timeout, send);
}

describe('an HTTP probe', () => {
  it.each(CASES)(
    'gets the verdict of the kubelet from $name',
    async ({ port: start, probe, timeout = 3000, event }) => {
      const port = await start();
      const answer = await ask({ isHttps: false, host: '127.0.0.1', port, path: '/', headers: [], ...probe }, timeout);
      const message = eventMessage('livenessProbe', answer)
        .replace(/read tcp [\d.:]+->/, 'read tcp LOCAL->')
        .replaceAll(String(port), 'PORT');
      if (event === '') expect(message).toBe('');
      else expect(message.startsWith(`Liveness probe ${event}`), `${message}\n${event}`).toBe(true);
    },
  );

  it('says when a body is longer than what the kubelet reads', async () => {
    const port = await http((_request, response) => response.end('a'.repeat(10 * 1024 + 1)));
    const probe = { isHttps: false, host: '127.0.0.1', port, path: '/', headers: [] };
    expect(await ask(probe, 1000)).toEqual({ result: 'success', text: '', code: 200, isLong: true });
  });
});
