import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { quantile } from './figures.ts';
import { startOfCall } from './lost-time.ts';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';

export const REVIEW = JSON.stringify(reviewOf(pod([appContainer()])));
export const UID = '705ab4f5-6393-11e8-b7cc-42010a800002';

export interface Answer {
  readonly code: number;
  readonly closing: boolean;
  readonly body: string;
}

export interface Call {
  readonly agent?: https.Agent;
  readonly path?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An agent that keeps one connection, as the API server does, and takes any certificate. */
export function keepAlive(options: https.AgentOptions = {}): https.Agent {
  return new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, ...options });
}

/** Asks once; rejects when no answer comes. */
export function ask(port: number, call: Call = {}): Promise<Answer> {
  const { agent, path = '/mutate?timeout=10s', body = REVIEW, headers } = call;
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        rejectUnauthorized: false,
        ...(agent ? { agent } : { agent: false }),
        headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: response.statusCode ?? 0, closing: response.headers.connection === 'close', body: text });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

export function askHealth(port: number, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => resolve({ code: response.statusCode ?? 0, closing: true, body }));
      })
      .on('error', reject);
  });
}

/** A TLS connection, open; what goes wrong with it later is nobody's concern. */
export async function tls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  socket.on('error', () => undefined);
  return socket;
}

export async function tcp(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectPlain({ host: '127.0.0.1', port, localAddress });
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  return socket;
}

/** Everything that a connection brings until it ends, or the time is over. */
export function collect(
  socket: Socket,
  milliseconds: number,
): Promise<{ text: string; ended: boolean; after: number }> {
  const began = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const done = (ended: boolean) => (): void => {
      clearTimeout(timer);
      resolve({ text, ended, after: performance.now() - began });
    };
    const timer = setTimeout(done(false), milliseconds);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.once('end', done(true)).once('close', done(true)).once('error', done(true));
  });
}

/** The bytes of a request. */
export function requestBytes(body: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = {
    host: 'localhost',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  };
  return `POST /mutate?timeout=10s HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}`;
}

/** A caller that behaves: so many calls a second over a few kept connections, each timed from when it was due to be sent. */
export class GoodCaller {
  readonly latencies: number[] = [];
  /** When each call began, see lost-time.ts. */
  readonly starts: number[] = [];
  readonly failures: string[] = [];
  #stopped = false;
  readonly #running: Promise<unknown>;

  /** @param bodies what is sent, in turn */
  constructor(port: number, perSecond = 100, localAddress = '127.0.0.1', connections = 4, bodies = [REVIEW]) {
    const interval = (1000 * connections) / perSecond;
    this.#running = Promise.all(
      Array.from({ length: connections }, async (_, index) => {
        const agent = keepAlive({ localAddress });
        let due = performance.now() + (interval * index) / connections;
        while (!this.#stopped) {
          await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
          const began = performance.now();
          const call = this.starts.push(startOfCall()) - 1;
          try {
            const { code } = await ask(port, { agent, body: bodies[call % bodies.length] ?? REVIEW });
            if (code !== 200) this.failures.push(`HTTP ${code}`);
          } catch (error) {
            this.failures.push(String(error));
          }
          // In the order of the starts, which is not the one of the answers.
          this.latencies[call] = performance.now() - began;
          due = Math.max(due + interval, performance.now());
        }
        agent.destroy();
      }),
    );
  }

  get p99(): number {
    return quantile(this.latencies, 0.99);
  }

  async stop(): Promise<this> {
    this.#stopped = true;
    await this.#running;
    return this;
  }
}
