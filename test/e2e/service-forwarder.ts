import { randomInt } from 'node:crypto';
import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { get } from './control-plane.ts';

/** A process behind a Service. */
export interface Endpoint {
  /** Where it serves, on 127.0.0.1. */
  readonly port: number;
  /** Answers 200 at `/readyz` while it wants to be sent new connections. */
  readonly healthUrl: string;
}

/**
 * Plays kube-proxy and the endpoints controller for one Service: listens on its ClusterIP and passes each new connection
 * to the next endpoint that is ready. Connections stay where they are when an endpoint stops being ready, as they do with
 * iptables, and nobody is asked twice: a connection to an endpoint that has just died fails.
 */
export class ServiceForwarder {
  /** The Service's ClusterIP. */
  readonly address: string;
  readonly #server: Server;
  readonly #endpoints = new Map<Endpoint, { ready: boolean }>();
  readonly #sockets = new Set<Socket>();
  readonly #poll: NodeJS.Timeout;
  #next = 0;
  #refused = 0;

  private constructor(server: Server, address: string, pollMilliseconds: number) {
    this.#server = server;
    this.address = address;
    this.#poll = setInterval(() => void this.#look(), pollMilliseconds);
  }

  /**
   * Listens on the port of an address that nobody uses, out of those that begin with the prefix (`127.100.`): another run
   * on this machine may have a Service of its own. Whoever starts it stops it.
   */
  static async start(addressPrefix: string, port: number, pollMilliseconds = 200): Promise<ServiceForwarder> {
    const server = createServer();
    let address = '';
    for (let attempt = 0, listens = false; !listens; attempt += 1) {
      address = `${addressPrefix}${randomInt(1, 255)}.${randomInt(1, 255)}`;
      listens = await listen(server, port, address, attempt < 10);
    }
    const forwarder = new ServiceForwarder(server, address, pollMilliseconds);
    server.on('connection', (client) => {
      forwarder.#forward(client);
    });
    return forwarder;
  }

  /** How many connections found no endpoint that was ready. */
  get refused(): number {
    return this.#refused;
  }

  /** Endpoints that would be sent a connection now. */
  ready(): Endpoint[] {
    return [...this.#endpoints].filter(([, state]) => state.ready).map(([endpoint]) => endpoint);
  }

  /** Sends connections to the endpoint from the moment when it is ready. */
  add(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint, { ready: false });
  }

  /** Sends nothing more to the endpoint. */
  remove(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  async stop(): Promise<void> {
    clearInterval(this.#poll);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#endpoints].map(async ([endpoint, state]) => {
        const answer = await get(`${endpoint.healthUrl}/readyz`).catch(() => undefined);
        state.ready = answer?.status === 200;
      }),
    );
  }

  #forward(client: Socket): void {
    const ready = this.ready();
    const endpoint = ready[this.#next++ % Math.max(ready.length, 1)];
    if (endpoint === undefined) {
      this.#refused += 1;
      client.resetAndDestroy();
      return;
    }
    connectBoth(client, createConnection(endpoint.port, '127.0.0.1'), this.#sockets);
  }
}

/** Whether it listens now; false when the address is taken, which is thrown like any other error unless it may be. */
function listen(server: Server, port: number, address: string, mayBeTaken: boolean): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (mayBeTaken && error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    };
    server.once('error', failed);
    server.listen(port, address, () => {
      server.off('error', failed);
      resolve(true);
    });
  });
}

/** Passes bytes both ways until either side ends; a side that breaks off breaks the other off, as a packet filter would. */
export function connectBoth(client: Socket, backend: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [client, backend],
    [backend, client],
  ] as const) {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('error', () => to.resetAndDestroy());
    from.once('close', () => {
      sockets.delete(from);
      if (!to.destroyed) to.end();
    });
    from.pipe(to);
  }
}
