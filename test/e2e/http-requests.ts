import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { type RequestOptions, request as httpsRequest } from 'node:https';

/** An HTTP answer, its body as text. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The header of a merge patch. */
export const MERGE = { 'content-type': 'application/merge-patch+json' };

/** One plain HTTP GET. */
export function get(url: string): Promise<HttpAnswer> {
  return send(url, { method: 'GET' });
}

/** One request. Rejects when there is no answer in time, which is 30 s unless told otherwise. */
export function send(url: URL | string, options: RequestOptions, payload?: string): Promise<HttpAnswer> {
  const address = new URL(url);
  const { timeout = 30_000 } = options;
  const request = address.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { ...options, timeout }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${address.href} within ${timeout} ms`)));
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
