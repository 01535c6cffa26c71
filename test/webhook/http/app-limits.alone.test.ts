import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, SharedQuantity } from '../../../src/process/http-app.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { appContainer, clusterPolicyDocument, pod, policySet, reviewOf } from '../../support/worlds.ts';
import { quietApp } from './quiet-app.ts';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

const MIB = 1024 * 1024;
const OTHER = '127.0.0.2';

let pair: { certPem: string; keyPem: string };
let app: FastifyInstance | undefined;
let port: number;
const limited: string[] = [];
const open: TLSSocket[] = [];

beforeAll(async () => {
  pair = await makeServingPair();
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await app?.close();
  app = undefined;
});

const policies = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    port: 80,
    kubernetesProbeEndpoints: { readinessProbe: '/r', livenessProbe: '/l', startupProbe: '/s' },
  }),
);

async function listen(): Promise<void> {
  limited.length = 0;
  app = quietApp(pair, {
    policies: () => policies,
    log: {
      decided: () => undefined,
      refused: () => undefined,
      failed: () => undefined,
      limited: (address) => limited.push(address),
    },
    monotonic: () => performance.now(),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo);
}

async function connected(localAddress = '127.0.0.1'): Promise<TLSSocket> {
  const options = { host: '127.0.0.1', port, rejectUnauthorized: false, localAddress } as object;
  const socket = connect(options).on('error', () => undefined);
  open.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

/** All that a server sends until it closes the connection. */
function collected(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.once('close', () => {
      resolve(text);
    });
  });
}

const HEAD = 'POST /mutate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
const requestText = (body: string): string => `${HEAD}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const REVIEW = JSON.stringify(reviewOf(pod([appContainer()])));

/** The status and the header `connection` of the answer to a review. */
function ask(body: string, localAddress = '127.0.0.1'): Promise<readonly unknown[]> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/mutate', method: 'POST', headers, localAddress, agent };
    const sent = request(options, (response) => {
      response.resume().once('end', () => {
        agent.destroy();
        resolve([response.statusCode, response.headers.connection]);
      });
    });
    sent.once('error', reject).end(body);
  });
}

const long = (bytes: number): string => `{"more":"${'x'.repeat(bytes)}",${REVIEW.slice(1)}`;

describe('what addresses share', () => {
  it('is taken by one up to its share, and by each further one up to its share of the rest', () => {
    const shared = new SharedQuantity(90);
    expect([31, 30, 1].map((amount) => shared.take('a', amount))).toEqual([false, true, false]);
    expect([21, 20].map((amount) => shared.take('b', amount))).toEqual([false, true]);
    shared.giveBack('a', 30);
    expect([11, 10].map((amount) => shared.take('b', amount))).toEqual([false, true]);
    shared.giveBack('b', 30);
    expect(shared.take('c', 30)).toBe(true);
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:db8::7:1:2:3:4', '2001:db8:0:7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s shares as %s', (remoteAddress, name) => {
    expect(addressOf({ remoteAddress })).toBe(name);
  });
});

describe('large bodies of an address', () => {
  it('wait for each other, and small ones and those of other addresses do not', async () => {
    await listen();
    const holder = await connected();
    holder.write(`${HEAD}content-length: ${7 * MIB}\r\n\r\n${'{'.repeat(100_000)}`);
    let isAnswered = false;
    await expect.poll(() => ask(REVIEW)).toEqual([200, 'keep-alive']);
    const second = ask(long(3 * MIB)).then((answer) => {
      isAnswered = true;
      return answer;
    });
    expect((await ask(REVIEW))[0]).toBe(200);
    expect((await ask(long(3 * MIB), OTHER))[0]).toBe(200);
    expect(isAnswered).toBe(false);
    holder.destroy();
    expect(await second).toEqual([200, 'keep-alive']);
    expect(limited).toEqual([]);
  });
});

describe('connections of an address', () => {
  it('wait for their TLS handshake when the address has a third of all, and those of others do not', async () => {
    await listen();
    const sockets = await Promise.all(Array.from({ length: 233 }, () => connected()));
    let isOpen = false;
    const waiting = connected().then((socket) => {
      isOpen = true;
      return socket;
    });
    expect(await ask(REVIEW, OTHER)).toEqual([200, 'keep-alive']);
    expect(isOpen).toBe(false);
    sockets[0]?.destroy();
    const socket = await waiting;
    socket.write(requestText(REVIEW));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /);
    expect(limited).toEqual([]);
  });
});

describe('a connection', () => {
  it('that sends a request before the answer to the one before is closed', async () => {
    await listen();
    const socket = await connected();
    const answers = collected(socket);
    socket.write(requestText(long(100_000)).repeat(3));
    expect(await answers).toBe('');
  });

  it('has no answers behind a rejected request, and is closed', async () => {
    await listen();
    const socket = await connected();
    const answers = collected(socket);
    socket.write(`GET /x HTTP/1.1\r\nhost: x\r\n\r\n${requestText(REVIEW).repeat(20)}`);
    expect((await answers).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  });

  it('ends after a thousand answers, and after a long answer', async () => {
    await listen();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const headers = { 'content-type': 'application/json' };
    const connection = (body: string): Promise<string | undefined> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/mutate', method: 'POST', headers, agent };
        const sent = request(options, (response) => {
          response.resume().once('end', () => {
            resolve(response.headers.connection);
          });
        });
        sent.once('error', reject).end(body);
      });
    let count = 1;
    while ((await connection(count % 20 === 0 ? long(100_000) : REVIEW)) !== 'close') count += 1;
    expect(count).toBe(1000);
    const containers = Array.from({ length: 150 }, (_, index) => ({
      name: `c${index}`,
      ports: [{ containerPort: 80 }],
    }));
    expect(await connection(JSON.stringify(reviewOf(pod(containers))))).toBe('close');
    agent.destroy();
  });

  it('of a caller that sends long reviews right behind answers stays open', async () => {
    await listen();
    // In a thread of its own: the next review arrives while the server still ends the turn of the answer.
    const caller = `
      const { Agent, request } = require('node:https');
      const { parentPort, workerData: { port, body } } = require('node:worker_threads');
      const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const ask = () => new Promise((resolve) => {
        request({ host: '127.0.0.1', port, path: '/mutate', method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        }).on('error', ({ code }) => resolve(code)).end(body);
      });
      (async () => {
        const seen = {};
        for (let count = 0; count < 300; count += 1) {
          const outcome = await ask();
          seen[outcome] = (seen[outcome] ?? 0) + 1;
        }
        agent.destroy();
        parentPort.postMessage(seen);
      })();`;
    const worker = new Worker(caller, { eval: true, workerData: { port, body: long(30_000) } });
    expect(await once(worker, 'message')).toEqual([{ 200: 300 }]);
    await worker.terminate();
  });

  it('whose caller hangs up in the middle of a request is no longer under way', async () => {
    await listen();
    const socket = await connected();
    socket.write(`${HEAD}content-length: ${6 * MIB}\r\n\r\n{"`);
    const second = await connected();
    second.write(`${HEAD}content-length: ${6 * MIB}\r\n\r\n{"`);
    socket.destroy();
    second.destroy();
    await expect.poll(() => ask(long(6 * MIB))).toEqual([200, 'keep-alive']);
  });
});
