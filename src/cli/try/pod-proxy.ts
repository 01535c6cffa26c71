import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isJsonObject, stringMember } from '../../base/json/json-value.ts';
import { failure, hostPort, KUBE_PROBE, success, type Answer, type NotRun } from './answer.ts';
import { MOST_BODY_BYTES } from './http1-reader.ts';
import type { HttpProbe } from './http-probe.ts';
import type { PodName } from './pod-channel.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';

/** Headers that the API server sets itself or keeps (apimachinery/pkg/util/proxy/upgradeaware.go). */
const OWN_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'connection', 'upgrade']);

/** The probe without the headers that the proxy does not pass on. */
export function withoutOwnHeaders(probe: HttpProbe): HttpProbe {
  return { ...probe, headers: probe.headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())) };
}
/** What the API server answers when the Pod does not (apimachinery/pkg/util/proxy/transport.go). */
const UNREACHED = 'error trying to reach service: ';
const MOST_REDIRECTS = 10;

/** What the API server handed on. */
interface Proxied {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
  readonly isLong: boolean;
}

/**
 * Asks a Pod over HTTP through the API server's Pod proxy, which asks the Pod's IP as the kubelet does. The proxy does
 * not verify certificates either.
 */
export async function podProxyProbe(
  access: ClusterAccess,
  pod: PodName & { readonly ip: string },
  probe: HttpProbe,
  timeoutMilliseconds: number,
): Promise<Answer | NotRun> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  let { isHttps, port, path } = probe;
  for (let redirects = 0; ; redirects += 1) {
    const base = proxyPath(pod, isHttps, port);
    const url = `${isHttps ? 'https' : 'http'}://${hostPort(pod.ip, port)}${path}`;
    const got = await proxied(access, `${base}${path}`, probe.headers, signal);
    if (got === undefined) {
      return failure(`Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`);
    }
    const refusal = refusalOf(got, url);
    if (refusal !== undefined) return refusal;
    const next = got.location === undefined ? undefined : redirectOf(got.location, base, url, pod.ip);
    if (next === undefined) return verdict(got);
    if (redirects + 1 >= MOST_REDIRECTS) return failure(`Get "${next.path}": stopped after 10 redirects`);
    ({ isHttps, port, path } = next);
  }
}

function proxyPath({ namespace, name }: PodName, isHttps: boolean, port: number): string {
  return `/api/v1/namespaces/${namespace}/pods/${isHttps ? 'https:' : ''}${name}:${port}/proxy`;
}

/** Undefined when the time is over. */
async function proxied(
  access: ClusterAccess,
  path: string,
  headers: HttpProbe['headers'],
  signal: AbortSignal,
): Promise<Proxied | undefined> {
  const options = await access.requestOptions();
  const { server } = access;
  const send = server.startsWith('https') ? httpsRequest : httpRequest;
  const sent = { accept: '*/*', 'user-agent': KUBE_PROBE, ...Object.fromEntries(headers) };
  return await new Promise((resolve, reject) => {
    const request = send(
      `${server}${path}`,
      { ...options, signal, headers: { ...(options.headers as Record<string, string> | undefined), ...sent } },
      (response) => {
        let [body, bytes] = ['', 0];
        const end = (): void => {
          const { statusCode: status = 0, headers: got } = response;
          resolve({ status, location: got.location, body, isLong: bytes > MOST_BODY_BYTES });
        };
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes <= MOST_BODY_BYTES) body += chunk.toString();
          else {
            end();
            response.destroy();
          }
        });
        response.on('end', end);
        response.on('error', () => {
          resolve(undefined);
        });
      },
    );
    request.on('error', (error) => {
      if (signal.aborted) resolve(undefined);
      else reject(error);
    });
    request.end();
  });
}

/** An answer of the API server itself: no right to the proxy, no such Pod, or a Pod that does not answer. */
function refusalOf({ body }: Proxied, url: string): Answer | NotRun | undefined {
  if (body.startsWith(UNREACHED)) return failure(`Get "${url}": ${body.slice(UNREACHED.length).trim()}`);
  if (!body.startsWith('{"kind":"Status"')) return undefined;
  const status = parsed(body);
  const message = isJsonObject(status) ? (stringMember(status, 'message') ?? '') : '';
  if (message.startsWith(UNREACHED)) return failure(`Get "${url}": ${message.slice(UNREACHED.length)}`);
  return message === '' ? undefined : { notRun: `the API server refuses: ${message}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where a redirect leads, if to the Pod itself. The proxy writes redirects of the Pod as paths of the API server. */
function redirectOf(
  location: string,
  base: string,
  url: string,
  ip: string,
): Pick<HttpProbe, 'isHttps' | 'port' | 'path'> | undefined {
  const inner = location.startsWith(`${base}/`) ? location.slice(base.length) : location;
  const next = URL.parse(inner, url);
  if (next === null || next.hostname.replace(/^\[|\]$/g, '') !== ip) return undefined;
  const isHttps = next.protocol === 'https:';
  const port = next.port === '' ? (isHttps ? 443 : 80) : Number(next.port);
  return { isHttps, port, path: next.pathname + next.search };
}

/** The kubelet's verdict on an answer (pkg/probe/http/http.go, DoHTTPProbe). */
function verdict({ status, isLong }: Proxied): Answer {
  const more = isLong ? { isLong: true as const } : {};
  if (status >= 200 && status < 300) return success({ code: status, ...more });
  if (status >= 300 && status < 400)
    return { result: 'warning', text: 'Probe terminated redirects, Response body: ', code: status, ...more };
  return failure(`HTTP probe failed with statuscode: ${status}`, status);
}
