import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { abortWithoutStacks } from '../../../src/webhook/http/aborted-requests.ts';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

it('requests that are unanswered when their connection closes end with an error without a stack', async () => {
  const server = createServer();
  server.on('connection', abortWithoutStacks);
  const requests: IncomingMessage[] = [];
  const errors: Error[] = [];
  server.on('request', (request) => {
    requests.push(request);
    request.on('error', (error) => errors.push(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const [connection] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    Promise.resolve(connect((server.address() as AddressInfo).port, '127.0.0.1')).then((socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(3));
    }),
  ]);
  while (requests.length < 3) await new Promise(setImmediate);
  connection[0].destroy();
  while (errors.length < 3) await new Promise(setImmediate);
  expect(errors.map(({ message, stack }) => [message, stack])).toEqual(
    Array.from({ length: 3 }, () => ['aborted', 'Error: aborted']),
  );
  expect(Error.stackTraceLimit).toBeGreaterThan(0);
  server.close();
});
