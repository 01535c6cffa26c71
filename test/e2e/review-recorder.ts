import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeServingPair } from '../support/certificate.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { WebhookProcess } from './webhook-process.ts';

/** One call of the API server. */
export interface RecordedReview {
  /** What the API server was told to call: the name of a round, and a webhook of a configuration. */
  readonly round: string;
  readonly webhook: string;
  /** The `request` of the AdmissionReview. */
  readonly request: JsonObject;
}

/** A server between the API server and a webhook process that keeps every review. */
export interface ReviewRecorder {
  readonly reviews: readonly RecordedReview[];
  readonly caPem: string;
  /** Where the API server sends the reviews of a webhook. */
  urlOf(round: string, webhook: string, path: string): string;
  stop(): Promise<void>;
}

/** Starts a recorder in front of the webhook process. Whoever starts it stops it. */
export async function startReviewRecorder(target: WebhookProcess): Promise<ReviewRecorder> {
  const { certPem, keyPem, caPem } = await makeServingPair();
  const agent = new Agent({ ca: target.caPem, keepAlive: true });
  const reviews: RecordedReview[] = [];
  const server = createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
    void bodyOf(incoming).then((body) => {
      const [, round = '', webhook = '', path = ''] = (incoming.url ?? '').split('/');
      const { request } = JSON.parse(body) as { request: JsonObject };
      reviews.push({ round, webhook, request });
      forward(new URL(`/${path}`, target.url), agent, body, outgoing);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    reviews,
    caPem,
    urlOf: (round, webhook, path) => `https://127.0.0.1:${port}/${round}/${webhook}${path}`,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(url: URL, agent: Agent, body: string, outgoing: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const forwarded = httpsRequest(url, { method: 'POST', agent, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
    answer.pipe(outgoing);
  });
  forwarded.on('error', (error) => {
    outgoing.writeHead(502).end(String(error));
  });
  forwarded.end(body);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
