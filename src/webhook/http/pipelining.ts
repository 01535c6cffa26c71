import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address, Addresses } from '../../process/addresses.ts';

export interface PipeliningLimit {
  /** The maximum number of unanswered requests on one connection. */
  readonly most: number;
  /** Called when a request comes before the previous request of its connection is answered. */
  readonly hurry: () => void;
  readonly addresses: Addresses;
  /** Called when a connection is closed to keep to the limit. */
  readonly dropped: (address: Address) => void;
}

/** The requests of each connection. */
export interface Pipelining {
  /** Whether a later request has come on the same connection. */
  readonly isWaitedFor: (request: IncomingMessage) => boolean;
  /**
   * The answers of a connection that may not be sent yet, in order. The last answer is to the latest request. Empty
   * before the first request.
   */
  readonly latestAnswers: (socket: Socket) => readonly ServerResponse[];
}

/**
 * Watches for clients that send a request before the previous one is answered. The answers to later requests wait for
 * the first answer, and take memory. The server closes a connection with too many waiting requests.
 */
export function watchPipelining(server: Server, limit: PipeliningLimit): Pipelining {
  const latest = new WeakMap<Socket, ServerResponse>();
  /** Of connections on which a request came before the previous one was answered. Most connections have no entry. */
  const unanswered = new WeakMap<Socket, readonly ServerResponse[]>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(socket);
    latest.set(socket, response);
    if (before?.writableFinished === false) {
      const earlier = unanswered.get(socket) ?? [before];
      const waiting = [...earlier.filter(({ writableFinished }) => !writableFinished), response];
      unanswered.set(socket, waiting);
      if (waiting.length > limit.most) {
        // The requests that were read with this one still come.
        if (!socket.destroyed) limit.dropped(limit.addresses.of(socket));
        socket.destroy();
      }
    } else if (unanswered.has(socket)) unanswered.delete(socket);
    if (before?.writableEnded === false) limit.hurry();
  });
  return {
    isWaitedFor: (request) => {
      const last = latest.get(request.socket);
      return last !== undefined && last.req !== request;
    },
    latestAnswers: (socket) => {
      const last = latest.get(socket);
      return unanswered.get(socket) ?? (last === undefined ? [] : [last]);
    },
  };
}
