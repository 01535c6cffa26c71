import { member, type JsonObject } from '../../base/json/json-value.ts';
import { isBlank } from './go-values.ts';

/** Most characters of a port name. */
export const LONGEST_PORT_NAME = 15;

/** Letters, digits and single hyphens in between, with at least one letter. */
const PORT_NAME = /^(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The syntax of a port name: IANA_SVC_NAME (apimachinery, util/validation, IsValidPortName). */
export function isPortName(text: string): boolean {
  return text.length <= LONGEST_PORT_NAME && PORT_NAME.test(text);
}

/** The highest port number (apimachinery, util/validation, IsValidPortNum). The lowest is 1. */
export const HIGHEST_PORT = 65_535;

/** True for a port number: 1 to 65535. */
export function isPortNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= HIGHEST_PORT;
}

/** The syntax in the API server's message (apimachinery, util/validation, IsHTTPHeaderName). */
export const HEADER_NAME_PATTERN = '[-A-Za-z0-9]+';

const HEADER_NAME = new RegExp(`^${HEADER_NAME_PATTERN}$`);

/** True for the name of an HTTP header. */
export function isHeaderName(text: string): boolean {
  return HEADER_NAME.test(text);
}

/** The first control character but tab, with which the kubelet's request fails (httpguts, ValidHeaderFieldValue). */
export function firstControlCharacter(value: string): number {
  return value.search(/[\u0000-\u0008\u000a-\u001f\u007f]/);
}

/** An address that only programs of the same Pod reach, or of the node for the kubelet. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** True for `localhost`, `127.0.0.1` and the other names of the own host. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Undefined for a command that the API server rejects. Go decodes null as an empty word. */
export function execArgv(handler: JsonObject): readonly string[] | undefined {
  const argv = member(handler, 'command');
  if (!Array.isArray(argv) || argv.length === 0) return undefined;
  const words = argv.map((word: unknown) => word ?? '');
  return words.every((word) => typeof word === 'string') ? words : undefined;
}

/**
 * True for the first word of an exec command that names no program. The API server accepts an empty word (and takes
 * null for one); the container runtime then errors on every probe, and the kubelet throws the result away
 * (pkg/kubelet/prober/prober.go).
 */
export function namesNoProgram(word: unknown): boolean {
  return word === null || (typeof word === 'string' && isBlank(word));
}

/** A path that the kubelet reads as a URL, because a scheme stands in front. */
export interface PathUrl {
  /** The scheme, as it is written: `http`, or `localhost` in `localhost:8080/healthz`. */
  readonly scheme: string;
  /** The path and query that the kubelet asks for. Undefined when the kubelet asks for another path or for none. */
  readonly path: string | undefined;
}

/** The scheme of a URL (Go's net/url, getScheme), and the rest. */
const WITH_SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):(.*)$/s;

/** A host without user and password, because the kubelet sends those. A host that Go rejects makes all of it a path. */
const PLAIN_URL = /^\/\/(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::\d*)?(\/[^#]*|\?[^#]*|)(?:#.*)?$/s;

/** What the kubelet sends unchanged: `//` would begin a host, and a percent sign may begin a broken escape. */
const UNCHANGED = /^\/(?!\/)[\w\-.~!$&'()*+,;=:@/?]*$/;

/**
 * Reads the URL in `httpGet.path`, or returns undefined for a path without a scheme. The kubelet parses the path as a
 * URL and overwrites scheme and host (pkg/kubelet/prober and pkg/probe/http/request.go, formatURL).
 */
export function readPathUrl(path: string): PathUrl | undefined {
  const [, scheme, rest] = WITH_SCHEME.exec(path) ?? [];
  if (scheme === undefined || rest === undefined) return undefined;
  const found = PLAIN_URL.exec(rest)?.[1];
  if (found === undefined) return { scheme, path: undefined };
  const asked = found.startsWith('/') ? found : `/${found}`;
  return { scheme, path: UNCHANGED.test(asked) ? asked : undefined };
}

/** Returns the path that the kubelet asks for: the path of a URL alone, and with a slash in front. */
export function requestedPath(path: string): string {
  return readPathUrl(path)?.path ?? (path.startsWith('/') ? path : `/${path}`);
}
