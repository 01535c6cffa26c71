import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { textAt } from '../../base/json/field-path.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { NotRun } from './answer.ts';
import { GoError } from './connection.ts';
import { MOST_BODY_BYTES } from './http1-reader.ts';
import { probeHeaders } from './http-request.ts';
import { jsonOf, podPath, type PodName } from './pod-channel.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';
import type { Headers, HttpProbe, Send } from './http-probe.ts';

/** Headers that the API server sets itself or keeps (apimachinery/pkg/util/proxy/upgradeaware.go). */
const OWN_HEADERS = /^(?:host|authorization|connection|upgrade)$/i;

/** True when the proxy passes on all headers of the probe. */
export function isForProxy({ headers }: HttpProbe): boolean {
  return headers.every(([name]) => !OWN_HEADERS.test(name));
}

/** What the API server answers when the Pod does not (apimachinery/pkg/util/proxy/transport.go). */
const UNREACHED = 'error trying to reach service: ';
const NO_TLS = 'tls: first record does not look like a TLS handshake';

/**
 * Asks a Pod over HTTP through the API server's Pod proxy, which asks the Pod's IP as the kubelet does. The proxy does
 * not verify certificates either.
 */
export function sendByProxy(access: ClusterAccess, pod: PodName): Send {
  const send: Send = async (url, headers, signal) => {
    const prefix = url.scheme === 'https' ? 'https:' : '';
    const base = podPath({ ...pod, name: `${prefix}${pod.name}:${url.port}` }, 'proxy');
    // The API server writes Host and Connection.
    const sent = probeHeaders(headers, '').filter(([name]) => name !== 'Host' && name !== 'Connection');
    const response = await get(access, `${base}${url.target}`, sent, signal);
    const { statusCode: status = 0, headers: got } = response;
    if (status < 400) {
      // The proxy writes redirects of the Pod as paths of the API server.
      const location = got.location?.startsWith(`${base}/`) ? got.location.slice(base.length) : got.location;
      return { status, location, bodyIsLong: async () => (await bodyOf(response)).isLong };
    }
    const { text, isLong } = await bodyOf(response);
    const message = text.startsWith('{"kind":"Status"') ? (textAt(jsonOf(text), 'message') ?? '') : text;
    if (!message.startsWith(UNREACHED)) {
      if (message === text || message === '')
        return { status, location: undefined, bodyIsLong: () => Promise.resolve(isLong) };
      throw new NotRun(`the API server refuses: ${message}`);
    }
    const why = message.slice(UNREACHED.length).trim();
    // The kubelet's HTTP client tells a server of HTTP from others. The API server's proxy does not.
    const isHttp =
      why.endsWith(NO_TLS) && (await send({ ...url, scheme: 'http' }, headers, signal).catch(() => undefined));
    throw new GoError(isHttp ? why.replace(NO_TLS, 'http: server gave HTTP response to HTTPS client') : why);
  };
  return send;
}

async function get(access: ClusterAccess, path: string, given: Headers, signal: AbortSignal): Promise<IncomingMessage> {
  const options = await access.requestOptions();
  const ask = access.server.startsWith('https') ? httpsRequest : httpRequest;
  const headers = { ...(options.headers as Record<string, string> | undefined), ...Object.fromEntries(given) };
  const request = ask(`${access.server}${path}`, { ...options, signal, headers });
  request.end();
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  } catch (error) {
    throw signal.aborted ? error : new NotRun(messageOf(error));
  } finally {
    request.on('error', () => undefined);
  }
}

/** Reads what the kubelet reads of a body. */
async function bodyOf(response: IncomingMessage): Promise<{ readonly text: string; readonly isLong: boolean }> {
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) return { text, isLong: true };
      text += chunk.toString();
    }
  } catch {
    throw new GoError('unexpected EOF');
  }
  return { text, isLong: false };
}
