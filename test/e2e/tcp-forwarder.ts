import { type AddressInfo, type Server, type Socket, createConnection, createServer } from 'node:net';

/** Where a connection goes. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Passes each connection to a target and stays with it, as kube-proxy with iptables does: nobody is asked twice, so a connection to a
 * target that has just died fails.
 */
export class TcpForwarder {
  readonly #pick: () => Target | undefined;
  /** Both ends of each connection, with the target. */
  readonly #sockets = new Map<Socket, Target | undefined>();
  #server: Server | undefined;
  #state: 'passing' | 'swallowing' | 'severed' = 'passing';

  /** @param pick the target of the next connection; undefined refuses the connection */
  constructor(pick: () => Target | undefined) {
    this.#pick = pick;
  }

  /** Gives the port, which is free for 0. Rejects when the address is taken. */
  async listen(port: number, address = '127.0.0.1'): Promise<number> {
    const server = createServer((client) => this.#forward(client));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, address, resolve);
    });
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  /** New connections find nobody; those that there are stay. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }

  /** How many connections are open to a port. */
  connectionsTo(port: number): number {
    return [...this.#sockets.values()].filter((target) => target?.port === port).length / 2;
  }

  /** From now on what is sent goes nowhere, on connections old and new, until `mend`. */
  swallow(): void {
    this.#state = 'swallowing';
    for (const socket of this.#sockets.keys()) socket.unpipe().pause();
  }

  /** Breaks the connections off and refuses new ones, until `mend`. */
  sever(): void {
    this.#state = 'severed';
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
  }

  /** Connections that had something swallowed are gone for good. */
  mend(): void {
    if (this.#state === 'swallowing') for (const socket of this.#sockets.keys()) socket.destroy();
    this.#state = 'passing';
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.destroy();
    const server = this.#server;
    if (server) await new Promise((done) => server.close(done));
  }

  #forward(client: Socket): void {
    if (this.#state === 'swallowing') {
      this.#sockets.set(client.pause(), undefined);
      client.on('error', () => undefined).once('close', () => this.#sockets.delete(client));
      return;
    }
    const target = this.#state === 'severed' ? undefined : this.#pick();
    if (target === undefined) return void client.resetAndDestroy();
    const backend = createConnection(target.port, target.host);
    for (const [from, to] of [
      [client, backend],
      [backend, client],
    ] as const) {
      this.#sockets.set(from, target);
      from.setNoDelay(true);
      // A side that breaks off breaks the other off, as a packet filter would.
      from.on('error', () => to.resetAndDestroy());
      from.once('close', () => {
        this.#sockets.delete(from);
        if (!to.destroyed) to.end();
      });
      from.pipe(to);
    }
  }
}
