import fastify from 'fastify';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { ListeningPort } from '../../src/process/listening-port.ts';
import { PartRunner } from '../../src/process/part.ts';

const LOOPBACK = '127.0.0.1';
let port: ListeningPort | undefined;

afterEach(async () => {
  await port?.stop();
});

function build(number = 0): ListeningPort {
  port = new ListeningPort(() => fastify({ logger: false }), { host: LOOPBACK, port: number, flag: '--port' });
  return port;
}

it('a port that is stopped while it begins to listen does not listen afterwards', async () => {
  const listening = build();
  const runner = new PartRunner();
  const started = runner.start([listening]);
  await Promise.allSettled([started, runner.stop()]);
  expect(listening.isListening).toBe(false);
});

it('a port that was stopped can be stopped again', async () => {
  const listening = build();
  await listening.start();
  await listening.stop();
  await listening.stop();
  expect(listening.isListening).toBe(false);
});

it('a port that another process has fails to start, and can be stopped', async () => {
  const other = createServer().listen(0, LOOPBACK);
  await once(other, 'listening');
  try {
    const listening = build((other.address() as AddressInfo).port);
    await expect(listening.start()).rejects.toThrow(/^--port: listen EADDRINUSE/);
    await listening.stop();
  } finally {
    other.close();
  }
});
