import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes connections after a rejected request. A client may send dozens of requests at once, such as `GET /x`. Their
 * answers would all be written in one turn of the event loop, which delayed other clients by up to 200 ms. An API
 * server sends no such requests, so a new connection costs the API server nothing.
 */
export class RefusedConnections {
  readonly #sockets = new WeakSet<Socket>();

  /**
   * Called with the code of each answer that is no review. Returns true if the server must close the connection after
   * the answer. 408 is about the server's own delay, and an API server keeps its connection then.
   */
  endsWith(code: number, { socket }: IncomingMessage): boolean {
    if (code < 400 || code >= 500 || code === 408) return false;
    this.#sockets.add(socket);
    return true;
  }

  /** Whether an earlier request ended the connection of this request. Then the request gets no answer. */
  has({ socket }: IncomingMessage): boolean {
    return this.#sockets.has(socket);
  }
}
