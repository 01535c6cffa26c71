import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { watchPipelining } from '../../../src/webhook/http/pipelining.ts';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

it('a request is told from one that others have come behind, and whoever sends before he is answered makes it urgent', async () => {
  const server = createServer();
  let hurried = 0;
  const { isWaitedFor } = watchPipelining(server, {
    most: 100,
    hurry: () => (hurried += 1),
    addresses: new Addresses(() => 0),
    dropped: () => undefined,
  });
  const seen: boolean[] = [];
  server.on('request', (request, response) => {
    // Whatever is sent together is read before this goes on.
    setImmediate(() => {
      seen.push(isWaitedFor(request));
      response.end('answer');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const ask = async (count: number): Promise<void> => {
    let text = '';
    socket.write(REQUEST.repeat(count));
    while (text.split('answer').length <= count) text += String((await once(socket, 'data'))[0]);
  };
  await ask(1);
  await ask(1);
  expect([seen, hurried]).toEqual([[false, false], 0]);
  await ask(3);
  expect([seen.slice(2), hurried]).toEqual([[true, true, false], 2]);
  await ask(1);
  expect([seen.slice(5), hurried]).toEqual([[false], 2]);
  socket.destroy();
  server.close();
});

it('a client that always has two requests on their way is not cut off, and one with too many is, once', async () => {
  const server = createServer();
  let dropped = 0;
  watchPipelining(server, {
    most: 5,
    hurry: () => undefined,
    addresses: new Addresses(() => 0),
    dropped: () => (dropped += 1),
  });
  const held: ServerResponse[] = [];
  server.on('request', (_, response) => held.push(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  const arrived = (count: number): Promise<void> => vi.waitFor(() => expect(held).toHaveLength(count), 5000);
  socket.write(REQUEST);
  await arrived(1);
  for (let sent = 2; sent <= 20; sent++) {
    socket.write(REQUEST);
    await arrived(sent);
    held[sent - 2]?.end('answer');
    await vi.waitFor(() => expect(text.split('answer')).toHaveLength(sent), 5000);
  }
  expect(dropped).toBe(0);
  socket.write(REQUEST.repeat(6));
  await once(socket, 'close');
  expect(dropped).toBe(1);
  server.close();
});
