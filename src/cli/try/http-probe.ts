import { messageOf } from '../../base/text/error-message.ts';
import { failure, NotRun, SUCCESS, type Answer } from './answer.ts';
import { GoError } from './connection.ts';
import { probeUrl, redirectUrl, urlText, type ProbeUrl } from './probe-url.ts';

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

/** The answer to one request. */
export interface Head {
  readonly status: number;
  readonly location: string | undefined;
  /** Reads up to 10 KiB of the body. Resolves with true when there is more; rejects with a GoError. */
  readonly bodyIsLong: () => Promise<boolean>;
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
  /** The URL that errors name. */
  let shown = `${scheme}:${path}`;
  let code: number | undefined;
  try {
    const first = probeUrl(scheme, host, port, path);
    let [url, headers] = [first, probe.headers];
    for (let requests = 1; ; requests += 1) {
      shown = urlText(url);
      if (!/^https?$/.test(url.scheme)) throw new GoError(`unsupported protocol scheme "${url.scheme}"`);
      const head = await send(url, headers, signal);
      const { status, location = '' } = head;
      const next = REDIRECTS.has(status) && location !== '' ? redirectUrl(location, url) : undefined;
      if (next === undefined || next.host !== first.host) {
        code = status;
        return verdict(status, await head.bodyIsLong(), head.location !== undefined);
      }
      if (requests >= MOST_REDIRECTS) {
        shown = location;
        throw new GoError('stopped after 10 redirects');
      }
      url = next;
      // A relative redirect keeps the header Host of the probe, and an absolute one drops it (net/http/client.go, do).
      if (URL.canParse(location)) headers = headers.filter(([name]) => !/^host$/i.test(name));
    }
  } catch (error) {
    if (error instanceof NotRun) throw error;
    // An error of the body is no failure: the kubelet throws such a result away (prober.go, probe).
    if (code !== undefined) return { result: 'failed-error', text: time.aborted ? READING : messageOf(error), code };
    return failure(`Get "${shown}": ${time.aborted ? WAITING : messageOf(error)}`);
  } finally {
    end.abort();
  }
}

/** The verdict on an answer that is not followed further. Its body may hold secrets, so our text leaves it out. */
function verdict(code: number, isLong: boolean, hasLocation: boolean): Answer {
  const more = { code, ...(isLong && { isLong }) } as const;
  if (code >= 200 && code < 300) return { ...SUCCESS, ...more };
  if (code >= 400 || code < 200) return failure(`HTTP probe failed with statuscode: ${code}`, code);
  const text = 'Probe terminated redirects, Response body: ';
  return { ...more, result: 'warning', text, ...(!hasLocation && { isNoRedirect: true }) };
}
