import { hostPort } from './answer.ts';

/** The URL of a probe, in the parts that a request needs. */
export interface ProbeUrl {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** Path and query, as the request line has them. */
  readonly target: string;
}

/** Characters that Go leaves as they are in a path (net/url, validEncoded). */
const VALID_PATH = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@[\]/]|%[0-9A-Fa-f]{2})*$/;
/** Characters that Go escapes in a path that it has to escape (net/url, shouldEscape with encodePath). */
const ESCAPED = /[^A-Za-z0-9\-._~$&+,/:;=@]/gu;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const CONTROL = /[\0-\x1f\x7f]/;

/**
 * The URL that the kubelet makes of an httpGet handler: the path is parsed as a URL, and scheme and host are
 * overwritten. A path that is no URL is escaped as a whole (pkg/probe/http/request.go, formatURL).
 *
 * @returns undefined for a path that leaves no host in the URL, such as `localhost:8080/healthz`
 */
export function probeUrl(scheme: 'http' | 'https', host: string, port: number, path: string): ProbeUrl | undefined {
  const found = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(path)?.[0] ?? '';
  const rest = path.slice(found.length);
  if (found !== '' && rest !== '' && !rest.startsWith('/')) return undefined;
  return { scheme, host, port, target: CONTROL.test(path) ? literal(path) : targetOf(rest, path) };
}

function targetOf(rest: string, whole: string): string {
  const [before = ''] = rest.split('#', 1);
  const at = before.indexOf('?');
  const query = at < 0 ? '' : before.slice(at);
  let path = at < 0 ? before : before.slice(0, at);
  if (path.startsWith('//')) path = path.slice(2).replace(/^[^/]*/, '');
  // A first segment with a colon is no path of a URL.
  if (/^[^/]*:/.test(path) || BROKEN_ESCAPE.test(path)) return literal(whole);
  const escaped = VALID_PATH.test(path) ? path : escape(decoded(path));
  return `${escaped.startsWith('/') ? '' : '/'}${escaped}${query}`;
}

function literal(path: string): string {
  return `${path.startsWith('/') ? '' : '/'}${escape(path)}`;
}

function escape(path: string): string {
  return path
    .toWellFormed()
    .replace(ESCAPED, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The URL as messages name it. */
export function urlText({ scheme, host, port, target }: ProbeUrl): string {
  return `${scheme}://${hostPort(host, port)}${target}`;
}

/** The URL of a redirect, or what Go says to a Location that it does not follow. */
export function redirectUrl(location: string, base: ProbeUrl): ProbeUrl | string {
  const next = URL.parse(location, urlText(base));
  if (next === null) return `failed to parse Location header "${location}"`;
  const scheme = next.protocol.slice(0, -1);
  if (scheme !== 'http' && scheme !== 'https') return `unsupported protocol scheme "${scheme}"`;
  return {
    scheme,
    host: next.hostname.replace(/^\[|\]$/g, ''),
    port: next.port === '' ? (scheme === 'https' ? 443 : 80) : Number(next.port),
    target: `${next.pathname}${next.search}`,
  };
}
