import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address, Addresses } from './addresses.ts';

export interface PipeliningLimit {
  /** Requests of a connection that may wait for an answer at a time. */
  readonly most: number;
  /** Told when a request comes while another one of its connection is not answered yet. */
  readonly hurry: () => void;
  readonly addresses: Addresses;
  /** A connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
}

/**
 * Watches for callers that send a request before the one before it is answered. Whatever is answered to the later ones waits for the first, and takes
 * memory meanwhile. A connection on which too many wait is closed.
 *
 * @returns whether others of its connection have come behind a request
 */
export function watchPipelining(server: Server, limit: PipeliningLimit): (request: IncomingMessage) => boolean {
  const latest = new WeakMap<Socket, ServerResponse>();
  const unanswered = new WeakMap<Socket, number>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(socket);
    latest.set(socket, response);
    if (before?.writableFinished !== false) unanswered.set(socket, 1);
    else {
      const count = (unanswered.get(socket) ?? 0) + 1;
      unanswered.set(socket, count);
      if (count > limit.most) {
        socket.destroy();
        if (count === limit.most + 1) limit.dropped(limit.addresses.of(socket));
      }
    }
    if (before?.writableEnded === false) limit.hurry();
  });
  return (request) => {
    const last = latest.get(request.socket);
    return last !== undefined && last.req !== request;
  };
}
