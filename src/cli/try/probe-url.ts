import { goQuote } from '../../engine/probe/go-values.ts';
import { hostPort } from './answer.ts';
import { GoError } from './connection.ts';

/** The URL of a request, in the parts that a probe needs. */
export interface ProbeUrl {
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
/** Characters that Go escapes in a path that it has to escape (net/url, shouldEscape with encodePath). */
const ESCAPED = /[^A-Za-z0-9\-._~$&+,/:;=@]/gu;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2}).{0,2}/;
const CONTROL = /[\0-\x1f\x7f]/;

/**
 * The URL that the kubelet makes of an httpGet handler: the path is parsed as a URL, and scheme and host are
 * overwritten. A path that is no URL is escaped as a whole (pkg/probe/http/request.go, formatURL).
 *
 * @throws GoError for a path that leaves no host in the URL, such as `localhost:8080/healthz`
 */
export function probeUrl(scheme: string, host: string, port: number, path: string): ProbeUrl {
  const found = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(path)?.[0] ?? '';
  const rest = path.slice(found.length);
  if (found !== '' && rest !== '' && !rest.startsWith('/')) throw new GoError('http: no Host in request URL');
  const target = (CONTROL.test(path) ? undefined : targetOf(rest)) ?? escape(path);
  return {
    scheme,
    host,
    port,
    authority: hostPort(host, port),
    target: `${target.startsWith('/') ? '' : '/'}${target}`,
  };
}

/** Path and query of a URL. Undefined where Go finds no URL. */
function targetOf(url: string): string | undefined {
  const [, before = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(url) ?? [];
  const path = before.replace(/^\/\/[^/]*/, '');
  // A first segment with a colon is no path of a URL.
  if (/^[^/]*:/.test(path) || BROKEN_ESCAPE.test(path)) return undefined;
  return `${VALID_PATH.test(path) ? path : escape(decoded(path))}${query}`;
}

function escape(path: string): string {
  return path
    .toWellFormed()
    .replace(ESCAPED, (character) =>
      [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    );
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
 * The URL of a redirect.
 *
 * @throws GoError for a Location that Go cannot parse (net/http/client.go, do)
 */
export function redirectUrl(location: string, base: ProbeUrl): ProbeUrl {
  const next = URL.parse(location, urlText(base));
  const broken = BROKEN_ESCAPE.exec(location.replace(/\?.*/, ''))?.[0];
  const why = broken === undefined ? '' : `: parse ${goQuote(location)}: invalid URL escape ${goQuote(broken)}`;
  if (next === null || broken !== undefined)
    throw new GoError(`failed to parse Location header ${goQuote(location)}${why}`);
  const { protocol, hostname, port, host, pathname, search } = next;
  return {
    scheme: protocol.slice(0, -1),
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
    authority: host,
    target: `${pathname}${search}`,
  };
}
