import { connect as http2Connect, type ClientHttp2Session } from 'node:http2';
import { messageOf } from '../../base/text/error-message.ts';
import { failure, hostPort, KUBE_PROBE, success, type Answer } from './answer.ts';
import { dial, GoError, readText, type Connection } from './connection.ts';
import { Http1Reader, MOST_BODY_BYTES } from './http1-reader.ts';
import { probeUrl, redirectUrl, urlText, type ProbeUrl } from './probe-url.ts';
import { alertText, openTls } from './tls-connection.ts';
import type { Endpoint } from './connection.ts';

/** One request of an HTTP probe. */
export interface HttpProbe {
  readonly isHttps: boolean;
  /** An address or a host name, without brackets. */
  readonly host: string;
  /** The container's port. */
  readonly port: number;
  /** As in the manifest. */
  readonly path: string;
  /** The headers of the manifest, in its order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Where a port of the container is reached from here. */
export type PlaceOf = (port: number) => Promise<Endpoint>;

/** Go follows so many redirects and fails at the next one (pkg/probe/http/http.go, RedirectChecker). */
export const MOST_REDIRECTS = 10;
/** Go follows these, if they have a Location (net/http/client.go, redirectBehavior). */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export const WAITING = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const READING = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/**
 * Runs an HTTP probe as the kubelet does (pkg/probe/http/http.go, DoHTTPProbe, and request.go, newProbeRequest): one
 * connection, no proxy, no compression, TLS without verification, redirects to the same host name only. The time is for
 * headers and body together.
 *
 * @param timeoutMilliseconds timeoutSeconds of the probe
 * @param placeOf where connections go, when not to the host and port of the probe
 */
export async function httpProbe(probe: HttpProbe, timeoutMilliseconds: number, placeOf?: PlaceOf): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const run = new HttpRun(probe, placeOf ?? ((port) => Promise.resolve({ host: probe.host, port })), signal);
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new GoError('context deadline exceeded', true)));
  });
  try {
    return await Promise.race([run.answer(), late]);
  } catch (error) {
    return run.failed(error instanceof GoError && error.isTimeout, messageOf(error));
  } finally {
    run.close();
  }
}

/** The answer to one request. */
interface Head {
  readonly status: number;
  readonly location: string | undefined;
  /** Reads up to 10 KiB of the body. Resolves with true when there is more. */
  readonly bodyIsLong: () => Promise<boolean>;
}

/** The requests of one probe. */
class HttpRun {
  readonly #probe: HttpProbe;
  readonly #placeOf: PlaceOf;
  readonly #signal: AbortSignal;
  readonly #open: { destroy(): unknown }[] = [];
  /** The URL that errors name. */
  #shown: string;
  #status: number | undefined;
  #headers: Headers;

  constructor(probe: HttpProbe, placeOf: PlaceOf, signal: AbortSignal) {
    this.#probe = probe;
    this.#placeOf = placeOf;
    this.#signal = signal;
    this.#headers = probe.headers;
    this.#shown = `${probe.isHttps ? 'https' : 'http'}:${probe.path}`;
  }

  async answer(): Promise<Answer> {
    const { isHttps, host, port, path } = this.#probe;
    const first = probeUrl(isHttps ? 'https' : 'http', host, port, path);
    if (first === undefined) throw new GoError('http: no Host in request URL');
    let url = first;
    for (let requests = 1; ; requests += 1) {
      this.#shown = urlText(url);
      const head = await this.#ask(url);
      const next = this.#redirection(head, url);
      if (next === undefined || next.host !== first.host) {
        this.#status = head.status;
        return verdict(head.status, await head.bodyIsLong(), head.location !== undefined);
      }
      if (requests >= MOST_REDIRECTS) {
        this.#shown = head.location ?? '';
        throw new GoError('stopped after 10 redirects');
      }
      url = next;
    }
  }

  /** An error of the body is no failure: the kubelet throws such a result away (prober.go, probe). */
  failed(isLate: boolean, text: string): Answer {
    if (this.#status !== undefined)
      return { result: 'failed-error', text: isLate ? READING : text, code: this.#status };
    return failure(`Get "${this.#shown}": ${isLate ? WAITING : text}`);
  }

  close(): void {
    for (const stream of this.#open) stream.destroy();
  }

  #redirection({ status, location }: Head, url: ProbeUrl): ProbeUrl | undefined {
    if (!REDIRECTS.has(status) || location === undefined || location === '') return undefined;
    const next = redirectUrl(location, url);
    if (typeof next === 'object') {
      // A relative redirect keeps the header Host of the probe, and an absolute one drops it (net/http/client.go, do).
      if (URL.canParse(location)) this.#headers = this.#headers.filter(([name]) => !/^host$/i.test(name));
      return next;
    }
    this.#shown = location;
    throw new GoError(next);
  }

  /** One request over a connection of its own. */
  async #ask(url: ProbeUrl): Promise<Head> {
    const headers = probeHeaders(this.#headers, hostPort(url.host, url.port));
    const connection = await dial(await this.#placeOf(url.port), { host: url.host, port: url.port }, this.#signal);
    this.#open.push(connection.stream);
    if (url.scheme === 'http')
      return await askHttp1(url, headers, connection.stream, (error) => readText(error, connection));
    const socket = await openTls(connection, url.host, ['h2', 'http/1.1'], this.#signal);
    this.#open.push(socket);
    if (socket.alpnProtocol === 'h2') return await askHttp2(url, headers, socket);
    return await askHttp1(url, headers, socket, (error) => alertText(error) ?? readText(error, connection));
  }
}

/** The verdict on an answer that is not followed further. Its body may hold secrets, so our text leaves it out. */
export function verdict(status: number, isLong: boolean, hasLocation: boolean): Answer {
  const more = { code: status, ...(isLong && { isLong }) } as const;
  if (status >= 200 && status < 300) return success(more);
  if (status >= 300 && status < 400)
    return {
      ...more,
      result: 'warning',
      text: 'Probe terminated redirects, Response body: ',
      ...(!hasLocation && { isNoRedirect: true }),
    };
  return failure(`HTTP probe failed with statuscode: ${status}`, status);
}

/** Headers that Go writes itself (net/http/request.go, reqWriteExcludeHeader). */
const OWN_HEADERS = /^(?:host|user-agent|content-length|transfer-encoding|trailer|accept)$/i;
/** RFC 9110, field-value: Go refuses control characters before it sends anything (httpguts.ValidHeaderFieldValue). */
const REFUSED_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/**
 * The headers of a request, in Go's order. The kubelet adds User-Agent and Accept to those of the manifest, and leaves
 * them out where the manifest empties them (request.go, newProbeRequest).
 */
export function probeHeaders(given: HttpProbe['headers'], host: string): [string, string][] {
  const first = (wanted: string): string | undefined => given.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const agent = first('user-agent') ?? KUBE_PROBE;
  const accept = first('accept') ?? '*/*';
  const others = given.filter(([name]) => !OWN_HEADERS.test(name)).map(([name, value]) => [canonical(name), value]);
  if (accept !== '') others.push(['Accept', accept]);
  const refused = others.find(([, value = '']) => REFUSED_VALUE.test(value))?.[0];
  if (refused !== undefined) throw new GoError(`net/http: invalid header field value for "${refused}"`);
  others.sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
  return [
    ['Host', first('host') || host],
    ...(agent === '' ? [] : [['User-Agent', agent] as [string, string]]),
    ...(others as [string, string][]),
    ['Connection', 'close'],
  ];
}

/** net/textproto, CanonicalMIMEHeaderKey. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

type Headers = readonly (readonly [string, string])[];

async function askHttp1(
  { target }: ProbeUrl,
  headers: Headers,
  stream: Connection['stream'],
  textOf: (error: unknown) => string,
): Promise<Head> {
  const reader = new Http1Reader(stream, textOf);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  stream.write(`GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const head = await reader.head();
  return { status: head.status, location: head.headers.get('location'), bodyIsLong: () => reader.bodyIsLong(head) };
}

/** HTTP/2 over TLS, where the server chooses it: the kubelet offers it (utilnet.SetTransportDefaults). */
function askHttp2(url: ProbeUrl, headers: Headers, socket: Connection['stream']): Promise<Head> {
  return new Promise((resolve, reject) => {
    const session: ClientHttp2Session = http2Connect(urlText(url), { createConnection: () => socket });
    let refuse: (error: Error) => void = reject;
    session.on('error', (error) => refuse(new GoError(messageOf(error))));
    const named = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
    const authority = named.get('host');
    for (const name of ['host', 'connection']) named.delete(name);
    const stream = session.request({ ':path': url.target, ':authority': authority, ...Object.fromEntries(named) });
    let bytes = 0;
    const body = Promise.withResolvers<boolean>();
    body.promise.catch(() => undefined);
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= MOST_BODY_BYTES) body.resolve(true);
    });
    stream.on('end', () => body.resolve(false));
    stream.on('error', (error) => refuse(new GoError(`stream error: stream ID 1; ${messageOf(error)}`)));
    stream.on('close', () => refuse(new GoError('unexpected EOF')));
    stream.on('response', (head) => {
      refuse = body.reject;
      resolve({ status: Number(head[':status']), location: head.location, bodyIsLong: () => body.promise });
    });
  });
}
