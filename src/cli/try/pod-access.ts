import { collectionPath, PODS } from '../../cluster/client/api-path.ts';
import { Duplex, addAbortSignal } from 'node:stream';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import WebSocket from 'ws';
import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { jsonOf } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { ApiError } from '../../cluster/client/api-client.ts';
import { until, GoError } from './connection.ts';
import { MOST_OUTPUT_BYTES, type CommandEnd } from './exec-probe.ts';
import { NotRun } from './answer.ts';
import { probeHeaders } from './http-request.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';
import { readBody, type Headers, type HttpProbe, type Send } from './http-probe.ts';

/** A Pod of a cluster. */
export interface ClusterPod {
  readonly access: ClusterAccess;
  readonly namespace: string;
  readonly name: string;
}

function podPath(pod: ClusterPod, subresource: string): string {
  // The proxy reads `https:NAME:PORT` as it is; encoded, it would not rewrite redirects.
  return `${collectionPath(PODS, pod.namespace)}/${pod.name}/${subresource}`;
}

/** The subprotocol of channels in binary messages: the first byte is the number of the channel. */
const PROTOCOL = 'v4.channel.k8s.io';
/** A channel of port-forward begins with the port (kubelet/pkg/cri/streaming/portforward/websocket.go). */
const PORT_BYTES = 2;
const [DATA, ERRORS, STATUS] = [0, 1, 3];

/**
 * Opens a WebSocket of the API server with channels (apimachinery/pkg/util/httpstream/wsstream).
 *
 * @param subresource with its query
 * @param read takes each message
 * @throws ApiError when the API server refuses; an Error when it cannot be reached
 */
async function openChannels(
  pod: ClusterPod,
  subresource: string,
  signal: AbortSignal,
  read: (channel: number, bytes: Buffer) => void,
): Promise<WebSocket> {
  const path = podPath(pod, subresource);
  const options = { ...(await pod.access.requestOptions()), signal, perMessageDeflate: false };
  const socket = new WebSocket(`${pod.access.server.replace(/^http/, 'ws')}${path}`, PROTOCOL, options);
  socket.on('message', (data) => {
    const bytes = data as Buffer;
    read(bytes[0] ?? 0, bytes.subarray(1));
  });
  const refused = new Promise<never>((_resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      const what = `GET ${path.split('?')[0] ?? ''}`;
      readBody(response).then(
        (body) => reject(ApiError.fromBody(response.statusCode ?? 0, String(body), what)),
        reject,
      );
    });
  });
  await Promise.race([until(socket, 'open', signal), refused]);
  return socket;
}

/** Why a port cannot be forwarded to, in the runtime's words. */
export class ForwardRefused extends Error {}

/**
 * A connection to a port inside the Pod, by port-forward. It fails with ForwardRefused where nothing listens.
 *
 * @throws ApiError without the right to forward
 */
export async function forward(pod: ClusterPod, port: number, signal: AbortSignal): Promise<Duplex> {
  const seen = [0, 0];
  const stream = new Duplex({
    // The end of the WebSocket is the end in both directions.
    allowHalfOpen: false,
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => socket.send(Buffer.concat([Buffer.from([DATA]), chunk]), done),
  });
  stream.on('error', () => undefined);
  const socket = await openChannels(pod, `portforward?ports=${port}`, signal, (channel, bytes) => {
    const skipped = Math.min(bytes.length, Math.max(0, PORT_BYTES - (seen[channel] ?? 0)));
    seen[channel] = (seen[channel] ?? 0) + bytes.length;
    const rest = bytes.subarray(skipped);
    if (channel === DATA && rest.length > 0) stream.push(rest);
    if (channel === ERRORS && rest.length > 0) stream.destroy(new ForwardRefused(rest.toString().trim()));
  });
  socket.once('close', () => stream.push(null));
  stream.once('close', () => socket.close());
  // A refusal may have come with the first bytes.
  if (stream.destroyed) socket.close();
  return addAbortSignal(signal, stream);
}

/**
 * Runs a command in a container of a Pod by the exec subresource.
 *
 * @throws ApiError when the API server refuses
 */
export async function podExec(
  pod: ClusterPod,
  container: string,
  command: readonly string[],
  timeoutMilliseconds: number,
): Promise<CommandEnd> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let end: { readonly code?: number; readonly message?: string } = {};
  const query = new URLSearchParams([
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'true'],
    ...command.map((word): [string, string] => ['command', word]),
  ]);
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const socket = await openChannels(pod, `exec?${query.toString()}`, signal, (channel, data) => {
      if (channel === STATUS) end = exitOf(jsonOf(data.toString()));
      else if (bytes < MOST_OUTPUT_BYTES) chunks.push(data.subarray(0, MOST_OUTPUT_BYTES - bytes));
      bytes += data.length;
    });
    // A short command may have ended already.
    if (socket.readyState !== WebSocket.CLOSED) await until(socket, 'close', signal).finally(() => socket.close());
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { code: end.code, output: Buffer.concat(chunks).toString() + (end.message ?? '') };
}

/** The exit code in a Status of the exec subresource (kubelet/pkg/cri/streaming/remotecommand/exec.go). */
function exitOf(status: unknown): { readonly code: number; readonly message?: string } {
  if (textAt(status, 'status') === 'Success') return { code: 0 };
  const cause = objectsAt(status, 'details', 'causes').find((one) => textAt(one, 'reason') === 'ExitCode');
  if (cause !== undefined) return { code: Number(textAt(cause, 'message')) };
  // The runtime could not start the command: its words are in the message.
  return { code: 126, message: textAt(status, 'message') ?? '' };
}

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
export function sendByProxy(pod: ClusterPod): Send {
  const send: Send = async (url, headers, signal) => {
    const prefix = url.scheme === 'https' ? 'https:' : '';
    const base = podPath({ ...pod, name: `${prefix}${pod.name}:${url.port}` }, 'proxy');
    const response = await get(pod.access, `${base}${url.target}`, probeHeaders(headers), signal);
    const {
      statusCode: status = 0,
      headers: { location },
    } = response;
    // The proxy writes redirects of the Pod as paths of the API server.
    const own = location?.startsWith(`${base}/`) === true ? location.slice(base.length) : location;
    if (status < 400) return { status, location: own, body: response };
    const text = String(await readBody(response));
    const message = text.startsWith('{"kind":"Status"') ? (textAt(jsonOf(text), 'message') ?? '') : text;
    if (!message.startsWith(UNREACHED)) {
      if (message === text || message === '') return { status, location, body: [] };
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
