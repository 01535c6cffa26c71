import { goQuote } from '../../engine/probe/go-values.ts';
import { hostPort, failure, NotRun, SUCCESS, utf8, type Answer } from './answer.ts';
import { GoError } from './connection.ts';
import { messageOf } from '../../base/text/error-message.ts';

/** The URL of a request, in the parts that a probe needs. */
interface ProbeUrl {
  readonly scheme: string;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** Host and port as messages and the header Host have them. */
  readonly authority: string;
  /** Path and query, as the request line has them. */
  readonly target: string;
}

/** Characters that Go leaves as they are in a path (net/url, validEncoded). */
const VALID_PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@[\]/]|%[0-9A-Fa-f]{2})*$/;
const URL_PARTS = /^(?:([a-z][a-z\d+.-]*):)?(?:\/\/(?!\/)(?:[^/?#]*@)?([^/?#]*))?([^?#]*)(\?[^#]*)?/i;

/** The parts of a URL as Go parses it (net/url, Parse). The path is escaped. A fault tells why it is no URL. */
function parseUrl(url: string) {
  const [, scheme = '', authority = '', path = '', query = ''] = URL_PARTS.exec(url) ?? [];
  const isRelative = scheme + authority === '';
  const [, host = '', port = ''] = /^(\[.*\]|.*?)(:[^:\]]*)?$/.exec(authority) ?? [];
  const broken = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(path)?.[0];
  const faults: readonly (readonly [boolean, string])[] = [
    [/[\0-\x1f\x7f]/.test(url), 'net/url: invalid control character in URL'],
    [url.startsWith(':'), 'missing protocol scheme'],
    [isRelative && /^[^/]*:/.test(path), 'first path segment in URL cannot contain colon'],
    [/^\[[^\]]*$/.test(host), "missing ']' in host"],
    [!/^(?::\d*)?$/.test(port), `invalid port ${goQuote(port)} after host`],
    [host.includes(' '), 'invalid character " " in host name'],
    [broken !== undefined, `invalid URL escape ${goQuote(broken ?? '')}`],
  ];
  const fault = faults.find(([isFault]) => isFault)?.[1];
  const own = VALID_PATH.test(path) ? path : escape(decoded(path));
  return { scheme: scheme.toLowerCase(), authority, host, port, path: own, query, isRelative, fault };
}

/**
 * The URL that the kubelet makes of an httpGet handler: the path is parsed as a URL, and scheme and host are
 * overwritten. A path that is no URL is escaped as a whole (pkg/probe/http/request.go, formatURL).
 *
 * @throws GoError for a path that leaves no host in the URL, such as `localhost:8080/healthz`
 */
function probeUrl(scheme: string, host: string, port: number, given: string): ProbeUrl {
  const { scheme: own, authority, path, query, fault } = parseUrl(given);
  if (fault === undefined && own !== '' && authority === '' && /^[^/]/.test(path))
    throw new GoError('http: no Host in request URL');
  const target = fault === undefined ? `${path}${query}` : escape(given);
  return {
    scheme,
    host,
    port,
    authority: hostPort(host, port),
    target: `${target.startsWith('/') ? '' : '/'}${target}`,
  };
}

/** Escapes a path as Go does (net/url, shouldEscape with encodePath). */
function escape(path: string): string {
  const hex = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURI(path.toWellFormed()).replace(/[!'()*?#]/g, hex);
}

/** A text in which percent signs stand for bytes; the text itself where they do not. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The URL as messages name it. */
export function urlText({ scheme, authority, target }: ProbeUrl): string {
  return `${scheme}://${authority}${target}`;
}

/**
 * The URL of a redirect. Its host is empty in a URL such as `mailto:a@b`.
 *
 * @throws GoError for a Location that Go cannot parse (net/http/client.go, do)
 */
function redirectUrl(location: string, base: ProbeUrl): ProbeUrl {
  const { authority, host, port, path, query, isRelative, fault, ...parsed } = parseUrl(location);
  if (fault !== undefined) {
    const parse = `parse ${goQuote(location.replace(/#.*/, ''))}: ${fault}`;
    throw new GoError(`failed to parse Location header ${goQuote(location)}: ${parse}`);
  }
  if (isRelative && path + query === '') return base;
  const from = `http://x${isRelative ? base.target : ''}`;
  const { pathname = '' } = URL.parse(path.startsWith('/') ? `http://x${path}` : path, from) ?? {};
  const target = `${pathname}${query}`;
  if (isRelative) return { ...base, target };
  const scheme = parsed.scheme || base.scheme;
  const number = Number(port.slice(1)) || (scheme === 'https' ? 443 : 80);
  return { scheme, host: host.replace(/^\[|\]$/g, ''), port: number, authority, target };
}

/** One request of an HTTP probe. */
export interface HttpProbe {
  readonly isHttps: boolean;
  /** An address or a host name, without brackets. */
  readonly host: string;
  /** The container's port. */
  readonly port: number;
  /** As in the manifest. */
  readonly path: string;
  readonly headers: Headers;
}

/** The headers of the manifest, in its order. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** In pieces. A GoError tells how it ended too early. */
type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The answer to one request. */
export interface Head {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: Body;
}

/** Sends one request, which ends with the signal. Rejects with a GoError, or NotRun. */
export type Send = (url: ProbeUrl, headers: Headers, signal: AbortSignal) => Promise<Head>;

/** Go follows so many redirects and fails at the next one (pkg/probe/http/http.go, RedirectChecker). */
const MOST_REDIRECTS = 10;
/** Go follows these, if they have a Location (net/http/client.go, redirectBehavior). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

const WAITING = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
const READING = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';

/**
 * Runs an HTTP probe as the kubelet does (pkg/probe/http/http.go, DoHTTPProbe): redirects are followed to the same host
 * name only, and the time is for headers and body together. Rejects with NotRun.
 *
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export async function httpProbe(probe: HttpProbe, timeoutMilliseconds: number, send: Send): Promise<Answer> {
  const { isHttps, host, port, path } = probe;
  const scheme = isHttps ? 'https' : 'http';
  const time = AbortSignal.timeout(timeoutMilliseconds);
  const end = new AbortController();
  const signal = AbortSignal.any([time, end.signal]);
  let shown = `${scheme}:${path.slice(path.indexOf(':') + 1)}`;
  let code: number | undefined;
  let redirectedTo: string | undefined;
  try {
    const first = probeUrl(scheme, host, port, path);
    let [url, headers] = [first, probe.headers];
    for (let requests = 1; ; requests += 1) {
      shown = urlText(url);
      if (!/^https?$/.test(url.scheme)) throw new GoError(`unsupported protocol scheme "${url.scheme}"`);
      const head = await send(url, headers, signal);
      const { status } = head;
      const location = utf8(head.location ?? '');
      const next = REDIRECTS.has(status) && location !== '' ? redirectUrl(location, url) : undefined;
      if (next === undefined || next.host !== first.host) {
        code = status;
        const answer = verdict(head, (await readBody(head.body)).length === MOST_BODY_BYTES);
        return {
          ...answer,
          ...(url !== first && { redirectedTo: shown }),
          ...(next !== undefined && { otherHost: urlText(next) }),
        };
      }
      if (requests >= MOST_REDIRECTS) {
        shown = location;
        throw new GoError('stopped after 10 redirects');
      }
      // Go reads a little of the body before it goes on (net/http/client.go, maxBodySlurpSize).
      await readBody(head.body, 2048).catch(() => undefined);
      // A relative redirect keeps the header Host of the probe, and an absolute one drops it (net/http/client.go, do).
      if (parseUrl(location).scheme !== '') headers = headers.filter(([name]) => !/^host$/i.test(name));
      url = next;
      redirectedTo = urlText(next);
    }
  } catch (error) {
    if (error instanceof NotRun) throw error;
    // An error of the body is no failure: the kubelet throws such a result away (prober.go, probe).
    if (code !== undefined) return { result: 'failed-error', text: time.aborted ? READING : messageOf(error), code };
    const failed = failure(`Get "${shown}": ${time.aborted ? WAITING : messageOf(error)}`);
    return { ...failed, ...(redirectedTo !== undefined && { redirectedTo }) };
  } finally {
    end.abort();
  }
}

/** The most that the kubelet reads of a body, in bytes (pkg/probe/http/http.go, maxRespBodyLength). */
const MOST_BODY_BYTES = 10 * 1024;

/** Reads a body as far as the kubelet does. Rejects with a GoError. */
export async function readBody(body: Body, mostBytes = MOST_BODY_BYTES): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= mostBytes) break;
    }
  } catch (error) {
    throw error instanceof GoError ? error : new GoError('unexpected EOF');
  }
  return Buffer.concat(pieces).subarray(0, mostBytes);
}

/** The verdict on an answer that is not followed further. Its body may hold secrets, so our text leaves it out. */
function verdict({ status: code, location }: Head, isLong: boolean): Answer {
  const more = { code, ...(isLong && { isLong }) } as const;
  if (code >= 200 && code < 300) return { ...SUCCESS, ...more };
  if (code >= 400 || code < 200) return failure(`HTTP probe failed with statuscode: ${code}`, code);
  const text = 'Probe terminated redirects, Response body: ';
  return { ...more, result: 'warning', text, ...(location === undefined && { isNoRedirect: true }) };
}
