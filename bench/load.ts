import { connect, type TLSSocket } from 'node:tls';
import autocannon from 'autocannon';
import { DisturbedWindows } from './disturbed-windows.ts';
import { noteTakenTime, stolenFromServers, type TakenTime } from './taken-time.ts';
import type { MeasuredServer } from './processes.ts';

/** Reviews to send in turns. */
export interface Target {
  readonly server: MeasuredServer;
  readonly path: string;
  readonly bodies: readonly Buffer[];
}

/** What a server did when it had as much as it could do. */
export interface Saturation {
  readonly perSecond: number;
  /**
   * The share of the time that the server was on its core: less than 1 when others were, or when the load was too slow.
   */
  readonly busy: number;
  /** What it would do with a whole second of processor time. */
  readonly perCpuSecond: number;
}

const CONNECTIONS = 16;

/** Sends as fast as answers come, over kept-alive connections, for some seconds or requests. */
export async function saturate(
  { server, path, bodies }: Target,
  amount: { readonly seconds: number } | { readonly requests: number },
): Promise<Saturation> {
  const cpu = server.cpuSeconds();
  const began = performance.now();
  const rest = keepAwake();
  const result = await autocannon({
    url: `https://127.0.0.1:${server.port}`,
    connections: CONNECTIONS,
    ...('seconds' in amount ? { duration: amount.seconds } : { amount: amount.requests }),
    requests: bodies.map((body) => ({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body,
    })),
  });
  rest();
  const seconds = (performance.now() - began) / 1000;
  const used = server.cpuSeconds() - cpu;
  const answered = result['2xx'];
  if (result.non2xx > 0 || result.timeouts > 0)
    throw new Error(`${path}: ${result.non2xx} answers other than 2xx, ${result.timeouts} timeouts`);
  return { perSecond: answered / seconds, busy: used / seconds, perCpuSecond: answered / used };
}

/**
 * Keeps this core from going to sleep, until the answer is called: whoever sends something to a core that sleeps has to
 * wake it, which costs a server on a virtual machine 15 µs an answer, and the slower side more often.
 */
function keepAwake(): () => void {
  let isOver = false;
  const turn = (): void => {
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

/** What a server did with requests that came at a steady pace. */
export interface Paced {
  /** In milliseconds, sorted. Requests that were due in disturbed windows are left out. */
  readonly latencies: Float64Array;
  /** The share of the requests that is left out of the latencies. */
  readonly leftOut: number;
  /** Seconds of processor time that a request took. */
  readonly secondsEach: number;
  readonly taken: TakenTime;
}

/**
 * Sends at a steady pace, whatever the answers do. A latency counts from when the request was due: a client that waited
 * would hide the waiting.
 */
export async function pace({ server, path, bodies }: Target, perSecond: number, seconds: number): Promise<Paced> {
  const requests = bodies.map((body) =>
    Buffer.concat([
      Buffer.from(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      ),
      body,
    ]),
  );
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(server.port)));
  const idle = [...connections];
  const count = Math.round(perSecond * seconds);
  const latencies = new Float64Array(count);
  const waiting: number[] = [];
  let answered = 0;
  let sent = 0;
  const cpu = server.cpuSeconds();
  const taken = noteTakenTime(server);
  const start = performance.now() + 20;
  const dueAt = (index: number): number => start + (index * 1000) / perSecond;
  const windows = new DisturbedWindows(performance.now(), stolenFromServers);
  try {
    await new Promise<void>((resolve, reject) => {
      const send = (index: number): void => {
        const connection = idle.pop();
        if (connection === undefined) {
          waiting.push(index);
          return;
        }
        connection.ask(requests[index % requests.length] ?? Buffer.alloc(0)).then(() => {
          latencies[index] = performance.now() - dueAt(index);
          idle.push(connection);
          if (++answered === count) resolve();
          const next = waiting.shift();
          if (next !== undefined) send(next);
        }, reject);
      };
      // Timers know whole milliseconds only, and this core has nothing else to do.
      const tick = (): void => {
        const now = performance.now();
        windows.turn(now);
        for (; sent < count && dueAt(sent) <= now; sent++) send(sent);
        // Also until the last answer: the load's core stays awake, and its windows are known to the end.
        if (answered < count) setImmediate(tick);
      };
      tick();
    });
    windows.end();
    const secondsEach = (server.cpuSeconds() - cpu) / count;
    const kept = latencies.filter((_, index) => !windows.has(dueAt(index))).sort();
    return { latencies: kept, leftOut: 1 - kept.length / count, secondsEach, taken: taken() };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** A kept-alive connection that is asked one thing at a time, and replaced when the server wants it closed. */
class Connection {
  readonly #port: number;
  #socket: TLSSocket;
  #answer: Buffer = Buffer.alloc(0);
  #resolve: (() => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  private constructor(port: number, socket: TLSSocket) {
    this.#port = port;
    this.#socket = socket;
    this.#listen();
  }

  static async open(port: number): Promise<Connection> {
    return new Connection(port, await secureSocket(port));
  }

  ask(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on('data', (chunk: Buffer) => {
      this.#answer = this.#answer.length === 0 ? chunk : Buffer.concat([this.#answer, chunk]);
      const end = this.#answer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = this.#answer.toString('latin1', 0, end).toLowerCase();
      const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1]);
      if (this.#answer.length < end + 4 + length) return;
      this.#answer = Buffer.alloc(0);
      if (!head.startsWith('http/1.1 200 ')) this.#reject?.(new Error(head.split('\r\n')[0]));
      else if (head.includes('\r\nconnection: close')) this.#replace();
      else this.#resolve?.();
    });
    this.#socket.on('error', (error: Error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('the server closed a connection that was in use')));
  }

  /**
   * The answer is there already: the handshake is not part of its latency, but the next request must wait for it or go
   * elsewhere.
   */
  #replace(): void {
    this.close();
    secureSocket(this.#port).then(
      (socket) => {
        this.#socket = socket;
        this.#listen();
        this.#resolve?.();
      },
      (error: unknown) => this.#reject?.(error as Error),
    );
  }
}

function secureSocket(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, noDelay: true } as object, () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}
