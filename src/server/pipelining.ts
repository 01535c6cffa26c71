import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches for callers that send a request before the one before it is answered. Whatever is answered to the later ones waits for the first, and takes
 * memory meanwhile.
 *
 * @param hurry told when one comes while another one of its connection is not answered yet
 * @returns whether others of its connection have come behind a request
 */
export function watchPipelining(server: Server, hurry: () => void): (request: IncomingMessage) => boolean {
  const latest = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const before = latest.get(socket);
    latest.set(socket, response);
    if (before?.writableEnded === false) hurry();
  });
  return (request) => {
    const last = latest.get(request.socket);
    return last !== undefined && last.req !== request;
  };
}
