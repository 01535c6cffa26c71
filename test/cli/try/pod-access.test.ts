import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { until } from '../../../src/cli/try/connection.ts';
import { forward, ForwardRefused, podExec, type ClusterPod } from '../../../src/cli/try/pod-access.ts';
import type { AddressInfo } from 'node:net';

/** For an answer that comes at once, also on a busy machine. */
const PATIENCE = 60_000;
const PORT = 8080;

let server: Server;
let pod: ClusterPod;
let answer: (socket: WebSocket) => void;

beforeEach(async () => {
  server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: (protocols) => [...protocols][0] ?? false });
  sockets.on('connection', (socket) => answer(socket));
  // What the server sends at once comes in one packet with the end of the handshake.
  server.prependListener('upgrade', (_request, socket) => {
    socket.cork();
    setImmediate(() => socket.uncork());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const access = { server: `http://127.0.0.1:${port}`, requestOptions: () => Promise.resolve({}) };
  pod = { access: access as never, namespace: 'shop', name: 'web-1' };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const message = (channel: number, text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
const PORT_BYTES = Buffer.from([PORT & 0xff, PORT >> 8]);
const REFUSAL = 'dial tcp4 127.0.0.1:8080: connect: connection refused';

/** How a connection to the port ends before it has brought a byte. */
async function endOfForward(): Promise<unknown> {
  const stream = await forward(pod, PORT, AbortSignal.timeout(PATIENCE));
  return await until(stream, 'data', AbortSignal.timeout(PATIENCE)).then(
    () => 'data',
    (error: unknown) => error,
  );
}

describe('a port of a Pod', () => {
  it.each([0, 1, 50])('that refuses tells so, also when the refusal comes %i ms after the handshake', async (delay) => {
    const refuse = (socket: WebSocket): void => {
      socket.send(message(0, PORT_BYTES));
      socket.send(message(1, PORT_BYTES));
      socket.send(message(1, REFUSAL));
      socket.close();
    };
    answer = (socket) => (delay === 0 ? refuse(socket) : setTimeout(refuse, delay, socket));
    const end = await endOfForward();
    expect(end).toBeInstanceOf(ForwardRefused);
    expect(String(end)).toContain(REFUSAL);
  });

  it.each([0, 50])('that is closed without a word after %i ms has an end', async (delay) => {
    answer = (socket) => void setTimeout(() => socket.close(), delay);
    expect(String(await endOfForward())).toBe('Error: closed');
  });
});

describe('a command in a Pod', () => {
  it('that ends at once has its exit code', async () => {
    answer = (socket) => {
      socket.send(message(1, 'ready\n'));
      socket.send(message(3, JSON.stringify({ status: 'Success' })));
      socket.close();
    };
    expect(await podExec(pod, 'app', ['true'], PATIENCE)).toEqual({ code: 0, output: 'ready\n' });
  });

  it.each([
    ['has the exit code of a failure', [{ reason: 'ExitCode', message: '3' }], { code: 3, output: '' }],
    ['has the words of the runtime where it could not start', [], { code: 126, output: 'no such file' }],
  ])('that fails %s', async (_, causes, expected) => {
    answer = (socket) => {
      socket.send(message(3, JSON.stringify({ status: 'Failure', message: 'no such file', details: { causes } })));
      socket.close();
    };
    expect(await podExec(pod, 'app', ['false'], PATIENCE)).toEqual(expected);
  });
});
