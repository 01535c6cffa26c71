import { randomInt } from 'node:crypto';
import { get } from './http-requests.ts';
import { TcpForwarder } from './tcp-forwarder.ts';

/** A process behind a Service. */
export interface Endpoint {
  /** Where it serves, on 127.0.0.1. */
  readonly port: number;
  /** Answers 200 at `/readyz` while it wants to be sent new connections. */
  readonly healthUrl: string;
}

const pollMilliseconds = 200;

/** Plays kube-proxy and the endpoints controller for one Service: passes each new connection to the next endpoint that is ready. */
export class ServiceForwarder {
  /** The Service's ClusterIP. */
  readonly address: string;
  readonly #forwarder: TcpForwarder;
  readonly #endpoints: Map<Endpoint, boolean>;
  readonly #poll: NodeJS.Timeout;

  private constructor(forwarder: TcpForwarder, endpoints: Map<Endpoint, boolean>, address: string) {
    this.#forwarder = forwarder;
    this.#endpoints = endpoints;
    this.address = address;
    this.#poll = setInterval(() => void this.#look(), pollMilliseconds);
  }

  /**
   * Listens on the port of an address that nobody uses, out of those that begin with the prefix (`127.100.`): another run
   * on this machine may have a Service of its own. Whoever starts it stops it.
   */
  static async start(addressPrefix: string, port: number): Promise<ServiceForwarder> {
    const endpoints = new Map<Endpoint, boolean>();
    let next = 0;
    const forwarder = new TcpForwarder(() => {
      const ready = readyOf(endpoints);
      const endpoint = ready[next++ % Math.max(ready.length, 1)];
      return endpoint && { host: '127.0.0.1', port: endpoint.port };
    });
    for (let attempt = 0; ; attempt += 1) {
      const address = `${addressPrefix}${randomInt(1, 255)}.${randomInt(1, 255)}`;
      try {
        await forwarder.listen(port, address);
        return new ServiceForwarder(forwarder, endpoints, address);
      } catch (error) {
        if (attempt >= 10 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      }
    }
  }

  /** Whether the endpoint would be sent a connection now. */
  sendsTo(endpoint: Endpoint): boolean {
    return this.#endpoints.get(endpoint) === true;
  }

  /** Sends connections to the endpoint from the moment when it is ready. */
  add(endpoint: Endpoint): void {
    this.#endpoints.set(endpoint, false);
  }

  /** Sends nothing more to the endpoint. */
  remove(endpoint: Endpoint): void {
    this.#endpoints.delete(endpoint);
  }

  async stop(): Promise<void> {
    clearInterval(this.#poll);
    await this.#forwarder.stop();
  }

  async #look(): Promise<void> {
    await Promise.all(
      [...this.#endpoints.keys()].map(async (endpoint) => {
        const answer = await get(`${endpoint.healthUrl}/readyz`).catch(() => undefined);
        if (this.#endpoints.has(endpoint)) this.#endpoints.set(endpoint, answer?.status === 200);
      }),
    );
  }
}

function readyOf(endpoints: ReadonlyMap<Endpoint, boolean>): Endpoint[] {
  return [...endpoints].filter(([, isReady]) => isReady).map(([endpoint]) => endpoint);
}
