import type { Socket } from 'node:net';

/**
 * Makes the end of a connection with unanswered requests cheap. Node makes an error for each of these requests, and
 * reads the stack of each error (lib/_http_server.js, abortIncoming). The stacks take ten times as long as the rest,
 * and nobody reads the stacks. A client may leave 100 unanswered requests on each connection.
 *
 * @param socket a connection that Node's HTTP server already listens to
 */
export function abortWithoutStacks(socket: Socket): void {
  let limit = Error.stackTraceLimit;
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  // Node's own listener runs between these two listeners.
  socket.once('close', () => {
    Error.stackTraceLimit = limit;
  });
}
