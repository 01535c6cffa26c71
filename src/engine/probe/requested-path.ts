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

/**
 * Characters that the kubelet sends unchanged. A second slash at the start would begin a host, and a percent sign may
 * begin a broken escape.
 */
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
