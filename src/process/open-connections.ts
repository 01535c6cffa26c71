import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The open connections of one app, below TLS. */
export class OpenConnections {
  readonly #app: FastifyInstance;
  readonly #sockets = new Set<Socket>();

  constructor(app: FastifyInstance) {
    this.#app = app;
    app.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /**
   * Closes the app. Requests in progress have this many milliseconds to finish, then every connection is cut: Node
   * waits without limit for connections that have sent no request, or half of one.
   */
  async close(milliseconds: number): Promise<void> {
    const cutOff = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, milliseconds);
    await this.#app.close();
    clearTimeout(cutOff);
  }
}
