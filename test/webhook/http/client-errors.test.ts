import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { ClientErrors } from '../../../src/webhook/http/client-errors.ts';
import { watchPipelining } from '../../../src/webhook/http/pipelining.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const REQUEST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}';
const GARBAGE = '\0\0 no HTTP\r\n\r\n';

let server: Server;
/** Answers that are to come. */
let asked: ServerResponse[];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    request.resume().on('error', () => undefined);
    asked.push(response);
  });
  const { latestAnswers } = watchPipelining(server, {
    most: 100,
    hurry: () => undefined,
    addresses: new Addresses(() => 0),
    dropped: () => undefined,
  });
  server.on('clientError', new ClientErrors(latestAnswers).handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends a text; the answers are given when so many requests are there. */
async function answersTo(text: string, requests: number): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  const closed = once(socket, 'close');
  socket.write(text);
  await waitUntil('all is read', () => asked.length === requests);
  // What is behind the last request is looked at before it is answered.
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write(GARBAGE);
  for (const [index, response] of asked.entries()) response.end(`answer ${index}`);
  await closed;
  return received;
}

it('a request with garbage behind it is answered, and the connection is closed', async () => {
  const text = await answersTo(REQUEST + GARBAGE, 1);
  expect(text).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(text.toLowerCase()).toContain('connection: close');
  expect(text).toMatch(/answer 0(\r\n0\r\n\r\n)?$/);
});

it('several requests with garbage behind them are all answered', async () => {
  const text = await answersTo(REQUEST.repeat(3) + GARBAGE, 3);
  expect(text.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2']);
});

it('a request is answered before one whose body is garbage', async () => {
  const chunked = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n';
  expect((await answersTo(REQUEST + chunked, 2)).match(/answer \d/g)).toEqual(['answer 0']);
});

it.each([
  [GARBAGE, 400],
  [`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n`, 431],
])('garbage alone is refused with a Status', async (text, code) => {
  const received = await answersTo(text, 0);
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
  expect(JSON.parse(received.slice(received.indexOf('{')))).toMatchObject({ kind: 'Status', code });
});
