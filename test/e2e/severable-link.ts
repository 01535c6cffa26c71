import { type AddressInfo, type Server, type Socket, createConnection, createServer } from 'node:net';
import { connectBoth } from './service-forwarder.ts';

/**
 * A replica's way to the API server, which can be severed while everybody else still reaches the server: only so can
 * somebody edit what this replica cannot see.
 */
export class SeverableLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #severed = false;

  private constructor(server: Server, targetPort: number) {
    this.#server = server;
    server.on('connection', (client) => {
      if (this.#severed) client.resetAndDestroy();
      else connectBoth(client, createConnection(targetPort, '127.0.0.1'), this.#sockets);
    });
  }

  /** Listens on a port of its own. Whoever starts it stops it. */
  static async start(targetPort: number): Promise<SeverableLink> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new SeverableLink(server, targetPort);
  }

  /** Where it listens, on 127.0.0.1. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks the connections off and refuses new ones. */
  sever(): void {
    this.#severed = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  mend(): void {
    this.#severed = false;
  }

  async stop(): Promise<void> {
    this.sever();
    await new Promise((done) => this.#server.close(done));
  }
}
