import { messageOf } from '../base/text/error-message.ts';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Part } from './part.ts';

/** How long requests in progress may take to finish once the port closes. */
const CLOSE_MILLISECONDS = 3000;

export interface PortAddress {
  readonly host: string;
  readonly port: number;
  /** The flag that sets the port, for errors. */
  readonly flag: string;
}

/** A port that an app answers on. The app is built at the start, with what is known by then. */
export class ListeningPort implements Part {
  readonly #build: () => FastifyInstance;
  readonly #address: PortAddress;
  readonly #listening = Promise.withResolvers<undefined>();
  #app: FastifyInstance | undefined;
  readonly #connections = new Set<Socket>();
  #opening: Promise<unknown> | undefined;

  constructor(build: () => FastifyInstance, address: PortAddress) {
    this.#build = build;
    this.#address = address;
  }

  /** Resolves once the port listens. Rejects when it cannot, for example because another process has it. */
  async start(): Promise<void> {
    this.#app = this.#build();
    this.#app.server.on('connection', (socket: Socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
    const { host, port, flag } = this.#address;
    this.#opening = this.#app.listen({ host, port });
    await this.#opening.catch((error: unknown) => {
      throw new Error(`${flag}: ${messageOf(error)}`, { cause: error });
    });
    this.#listening.resolve(undefined);
  }

  /**
   * Refuses connections at once. After some seconds every connection is cut: Node waits without limit for connections
   * that have sent no request, or half of one.
   */
  async stop(): Promise<void> {
    // An app that is closed before it listens goes on to listen, and cannot be closed again (Fastify 5).
    await this.#opening?.catch(() => undefined);
    const cutOff = setTimeout(() => {
      for (const socket of this.#connections) socket.destroy();
    }, CLOSE_MILLISECONDS);
    await this.#app?.close();
    clearTimeout(cutOff);
  }

  get server(): FastifyInstance['server'] | undefined {
    return this.#app?.server;
  }

  /** Resolves once the port listens. Never rejects: start does. */
  get listening(): Promise<unknown> {
    return this.#listening.promise;
  }

  get isListening(): boolean {
    return this.#app?.server.listening === true;
  }

  /** The port's number. Throws while the port does not listen. */
  get port(): number {
    const address = this.#app?.server.address() as AddressInfo | null | undefined;
    if (address === undefined || address === null) throw new Error('the port does not listen');
    return address.port;
  }
}
