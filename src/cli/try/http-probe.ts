import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect as http2Connect, type ClientHttp2Session } from 'node:http2';
import { alertText, openTls } from './tls-connection.ts';
import { codeOf, failure, goQuoted, hostPort, KUBE_PROBE, socketErrorText, success, type Answer } from './answer.ts';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** One request of an HTTP probe. */
export interface HttpProbe {
  readonly isHttps: boolean;
  /** An address or a host name, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The path and query as the kubelet asks them, with a slash in front. */
  readonly path: string;
  /** The headers of the manifest, in its order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The kubelet reads no more of a body (pkg/probe/http/http.go, maxRespBodyLength). */
export const MOST_BODY_BYTES = 10 * 1024;
/** Go follows so many redirects and fails at the next one (net/http, defaultCheckRedirect). */
const MOST_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** RFC 9110, field-value: Go refuses control characters before it sends anything (httpguts.ValidHeaderFieldValue). */
const REFUSED_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]/;

const WAITING = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const READING = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/**
 * Runs an HTTP probe as the kubelet does (pkg/probe/http/http.go, DoHTTPProbe, and request.go, newProbeRequest): one
 * connection, no proxy, no compression, TLS without verification, redirects to the same host name only. The time is for
 * headers and body together.
 *
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export async function httpProbe(probe: HttpProbe, timeoutMilliseconds: number): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const headers = probeHeaders(probe);
  const refused = [...headers].find(([, value]) => REFUSED_VALUE.test(value));
  let url = urlOf(probe);
  if (refused !== undefined)
    return failure(`Get "${textOf(url)}": net/http: invalid header field value for "${refused[0]}"`);
  for (let redirects = 0; ; redirects += 1) {
    const got = await ask(url, headers, signal);
    if (!('status' in got)) return got;
    const location = REDIRECTS.has(got.status) ? got.location : undefined;
    if (location === undefined || location === '') return await verdict(got, signal);
    const next = URL.parse(location, url.href);
    if (next === null || !next.protocol.startsWith('http')) {
      got.close();
      return failure(`Get "${location}": unsupported protocol scheme "${next?.protocol.slice(0, -1) ?? ''}"`);
    }
    if (hostOf(next) !== hostOf(url)) return await verdict(got, signal);
    got.close();
    if (redirects + 1 >= MOST_REDIRECTS) return failure(`Get "${location}": stopped after 10 redirects`);
    // A relative redirect keeps the Host header of the probe (net/http/client.go, do).
    if (URL.canParse(location)) headers.delete('host');
    url = next;
  }
}

/** The URL of a probe. Its text stands in the kubelet's events. */
function urlOf({ isHttps, host, port, path }: HttpProbe): URL {
  return new URL(`${isHttps ? 'https' : 'http'}://${hostPort(host, port)}${path}`);
}

/** The URL as Go prints it: with the port, also the usual one. */
function textOf(url: URL): string {
  return `${url.protocol}//${hostPort(hostOf(url), portOf(url))}${url.pathname}${url.search}`;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** By lower-case name. The kubelet adds User-Agent and Accept to those of the manifest (request.go, buildHeader). */
function probeHeaders({ headers }: HttpProbe): Map<string, string> {
  const all = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = all.get(key);
    // Go adds; of Host and of an empty value, the first counts.
    all.set(key, before === undefined || key === 'host' ? (before ?? value) : `${before}, ${value}`);
  }
  for (const [name, usual] of [
    ['user-agent', KUBE_PROBE],
    ['accept', '*/*'],
  ] as const) {
    if (!all.has(name)) all.set(name, usual);
    else if (all.get(name) === '') all.delete(name);
  }
  if (all.get('host') === '') all.delete('host');
  return all;
}

/** The head of an answer, with its body still to be read. */
interface Head {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: Readable;
  close(): void;
}

async function ask(url: URL, headers: ReadonlyMap<string, string>, signal: AbortSignal): Promise<Head | Answer> {
  const get = (text: string): Answer => failure(`Get "${textOf(url)}": ${text}`);
  if (url.protocol === 'http:') return await askHttp1(url, headers, signal, undefined);
  const opened = await openTls(hostOf(url), portOf(url), ['h2', 'http/1.1'], signal);
  if ('problem' in opened) return get(opened.isTimeout ? waitingText(opened.stage, url) : opened.problem);
  return opened.socket.alpnProtocol === 'h2'
    ? await askHttp2(url, headers, signal, opened.socket)
    : await askHttp1(url, headers, signal, opened.socket);
}

function waitingText(stage: 'dial' | 'handshake' | 'wait', url: URL): string {
  if (stage === 'dial')
    return `dial tcp ${hostPort(hostOf(url), portOf(url))}: i/o timeout (Client.Timeout exceeded while awaiting headers)`;
  return WAITING;
}

function askHttp1(
  url: URL,
  headers: ReadonlyMap<string, string>,
  signal: AbortSignal,
  socket: TLSSocket | undefined,
): Promise<Head | Answer> {
  const options: RequestOptions = {
    host: hostOf(url),
    port: portOf(url),
    method: 'GET',
    path: url.pathname + url.search,
    agent: socket === undefined ? false : agentOf(socket),
    setHost: false,
    headers: { host: url.host, ...Object.fromEntries(headers), connection: 'close' },
    signal,
  };
  return new Promise((resolve) => {
    let isConnected = socket !== undefined;
    let local = '';
    // TLS is the socket's: the kubelet verifies no certificate.
    const sent: ClientRequest = request(options);
    sent.on('socket', (used) => {
      if (isConnected) return;
      used.once('connect', () => {
        isConnected = true;
        local = hostPort(used.localAddress ?? '', used.localPort ?? 0);
      });
    });
    sent.on('response', (response: IncomingMessage) => {
      resolve({
        status: response.statusCode ?? 0,
        location: response.headers.location,
        body: response,
        close: () => sent.destroy(),
      });
    });
    sent.on('error', (error) => {
      const text = signal.aborted
        ? waitingText(isConnected ? 'wait' : 'dial', url)
        : requestError(error, sent, url, local);
      resolve(failure(`Get "${textOf(url)}": ${text}`));
    });
    sent.end();
  });
}

/** An agent that hands out one connection. */
function agentOf(socket: TLSSocket): Agent {
  const agent = new Agent();
  agent.createConnection = () => socket;
  return agent;
}

/** A failed request as Go's net/http describes it. */
function requestError(error: Error, { socket }: ClientRequest, url: URL, local: string): string {
  const address = hostPort(hostOf(url), portOf(url));
  const code = codeOf(error);
  if ('syscall' in error && error.syscall === 'getaddrinfo') return `dial tcp: lookup ${hostOf(url)}: no such host`;
  if ('rawPacket' in error && error.rawPacket instanceof Uint8Array) return malformed(Buffer.from(error.rawPacket));
  const isDial = ('syscall' in error && error.syscall === 'connect') || error instanceof AggregateError;
  const known = socketErrorText(code);
  if (isDial) return `dial tcp ${address}: connect: ${known ?? error.message}`;
  // Node reports an end without an answer as a reset, too.
  if (error.message === 'socket hang up') return (socket?.bytesRead ?? 0) > 0 ? 'unexpected EOF' : 'EOF';
  const alert = alertText(code);
  if (alert !== undefined) return alert;
  return known === undefined ? error.message : `read tcp ${local}->${address}: read: ${known}`;
}

/** An answer that is no HTTP/1.1 (net/http/response.go, ReadResponse). */
function malformed(packet: Buffer): string {
  const end = packet.indexOf('\n');
  const line = packet.subarray(0, end < 0 ? packet.length : end);
  const text = line.at(-1) === 13 ? line.subarray(0, -1) : line;
  const [version = '', status = ''] = text.toString('latin1').split(' ');
  const broken = 'net/http: HTTP/1.x transport connection broken: ';
  if (!text.includes(' ')) return `${broken}malformed HTTP response ${goQuoted(text)}`;
  if (!/^HTTP\/\d+\.\d+$/.test(version)) {
    const isHttp = version.startsWith('HTTP/');
    return `${broken}malformed HTTP ${isHttp ? `version ${goQuoted(Buffer.from(version))}` : `response ${goQuoted(text)}`}`;
  }
  if (!/^\d{3}$/.test(status)) return `${broken}malformed HTTP status code ${goQuoted(Buffer.from(status, 'latin1'))}`;
  return `${broken}malformed MIME header line`;
}

function askHttp2(
  url: URL,
  headers: ReadonlyMap<string, string>,
  signal: AbortSignal,
  socket: TLSSocket,
): Promise<Head | Answer> {
  return new Promise((resolve) => {
    const session: ClientHttp2Session = http2Connect(url, { createConnection: () => socket });
    const fail = (error: Error): void => {
      session.destroy();
      const text = signal.aborted ? WAITING : codeOf(error) === 'ECONNRESET' ? 'EOF' : error.message;
      resolve(failure(`Get "${textOf(url)}": ${text}`));
    };
    session.on('error', fail);
    const { host = url.host, ...others } = Object.fromEntries(headers);
    const stream = session.request(
      { ...others, ':method': 'GET', ':path': url.pathname + url.search, ':authority': host },
      { signal },
    );
    stream.on('error', fail);
    stream.on('response', (head) => {
      const close = (): void => {
        session.destroy();
      };
      resolve({ status: Number(head[':status']), location: head['location'], body: stream, close });
    });
    stream.on('close', () => {
      fail(new Error('http2: server closed the stream without sending trailers'));
    });
  });
}

/** The verdict on an answer that is not followed further (http.go, DoHTTPProbe). */
async function verdict(head: Head, signal: AbortSignal): Promise<Answer> {
  const { status } = head;
  const read = await readBody(head, signal);
  head.close();
  if ('problem' in read) return { result: 'failed-error', text: read.problem, code: status };
  const isLong = read.isLong ? { isLong: true as const } : {};
  if (status >= 200 && status < 300) return success({ code: status, ...isLong });
  // The body may hold secrets, so it is left out of our text.
  if (status >= 300 && status < 400)
    return { result: 'warning', text: 'Probe terminated redirects, Response body: ', code: status, ...isLong };
  return failure(`HTTP probe failed with statuscode: ${status}`, status);
}

/** Reads what the kubelet reads of a body (k8s.io/utils/io, ReadAtMost). */
async function readBody(
  { body }: Head,
  signal: AbortSignal,
): Promise<{ readonly isLong: boolean } | { readonly problem: string }> {
  let bytes = 0;
  const stop = (): void => {
    body.destroy(new Error('aborted'));
  };
  signal.addEventListener('abort', stop);
  try {
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      if (bytes > MOST_BODY_BYTES) return { isLong: true };
    }
    return { isLong: false };
  } catch (error) {
    if (signal.aborted) return { problem: READING };
    return { problem: error instanceof Error && error.message === 'aborted' ? 'unexpected EOF' : String(error) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
