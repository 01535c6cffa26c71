import WebSocket from 'ws';
import { ApiError } from '../../cluster/client/api-client.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';

/** The subprotocol of channels in binary messages: the first byte is the number of the channel. */
const PROTOCOL = 'v4.channel.k8s.io';
/** A refusal of the API server is a Status, which is short. */
const MOST_REFUSAL_BYTES = 64 * 1024;

/** A WebSocket of the API server with channels (apimachinery/pkg/util/httpstream/wsstream). */
export interface PodChannels {
  send(channel: number, bytes: Buffer): void;
  close(): void;
}

/** What happens on the channels. `closed` comes last, and once. */
export interface ChannelListener {
  message(channel: number, bytes: Buffer): void;
  closed(): void;
}

/**
 * Opens the channels of a subresource of a Pod, such as `exec` and `portforward`.
 *
 * @param path with its query, below the API server's address
 * @throws ApiError when the API server refuses; an Error when it cannot be reached
 */
export async function openChannels(
  access: ClusterAccess,
  path: string,
  listener: ChannelListener,
): Promise<PodChannels> {
  const options = await access.requestOptions();
  const url = `${access.server.replace(/^http/, 'ws')}${path}`;
  return await new Promise((resolve, reject) => {
    const socket = new WebSocket(url, PROTOCOL, { ...options, perMessageDeflate: false });
    socket.on('open', () => {
      resolve({
        send: (channel, bytes) => {
          socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
        },
        close: () => {
          socket.close();
        },
      });
    });
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body.length < MOST_REFUSAL_BYTES) body += text;
      });
      response.on('close', () => {
        reject(ApiError.fromBody(response.statusCode ?? 0, body, `GET ${path.split('?')[0] ?? ''}`));
      });
    });
    socket.on('error', (error) => {
      reject(new Error(messageOf(error), { cause: error }));
    });
    socket.on('message', (data) => {
      const bytes = data as Buffer;
      listener.message(bytes[0] ?? 0, bytes.subarray(1));
    });
    socket.on('close', () => {
      listener.closed();
    });
  });
}

/** A Pod of a cluster. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** The path of a subresource of a Pod. The parameters may repeat. */
export function podPath(
  { namespace, name }: PodName,
  subresource: string,
  parameters: readonly (readonly [string, string])[],
): string {
  const query = new URLSearchParams(parameters.map(([key, value]): [string, string] => [key, value]));
  const pod = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  return `${pod}/${subresource}?${query.toString()}`;
}
