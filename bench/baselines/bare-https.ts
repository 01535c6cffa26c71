import { createServer } from 'node:https';
import { serving } from './serving.ts';

/** Baseline (a): the least that a webhook can do. Parses the review and answers `allowed`. */
const { port, cert, key } = serving();
createServer({ cert, key }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { apiVersion, kind, request } = JSON.parse(Buffer.concat(chunks).toString()) as {
      apiVersion: string;
      kind: string;
      request: { uid: string };
    };
    const reply = JSON.stringify({ apiVersion, kind, response: { uid: request.uid, allowed: true } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) });
    response.end(reply);
  });
}).listen(port, '127.0.0.1');
