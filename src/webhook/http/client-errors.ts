import { STATUS_CODES } from 'node:http';
import { JSON_CONTENT_TYPE } from '../../process/content-type.ts';
import { failureStatus } from './status.ts';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelining } from './pipelining.ts';

/** The HTTP status for invalid input, by the code of Node's error. */
const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers input that is not HTTP, or comes too late, and closes the connection. Complete requests before the invalid
 * input are answered first: a client may send garbage after a valid review.
 */
export class ClientErrors {
  readonly #latestAnswers: Pipelining['latestAnswers'];
  readonly #seen = new WeakSet<Socket>();

  constructor(latestAnswers: Pipelining['latestAnswers']) {
    this.#latestAnswers = latestAnswers;
  }

  /** The handler for Node's `clientError`. */
  readonly handle = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) {
      socket.destroy();
      return;
    }
    // Node emits `clientError` again for each further chunk.
    if (this.#seen.has(socket)) return;
    this.#seen.add(socket);
    const last = this.#lastWhole(socket);
    if (last === undefined) refuse(socket, STATUSES[error.code ?? ''] ?? 400);
    else {
      socket.pause();
      closeAfter(last, socket);
    }
  };

  /** The last complete and unanswered request of a connection. */
  #lastWhole(socket: Socket): ServerResponse | undefined {
    return this.#latestAnswers(socket).findLast(({ req, writableFinished }) => req.complete && !writableFinished);
  }
}

function refuse(socket: Socket, code: number): void {
  if (socket.writable) {
    const body = JSON.stringify(failureStatus(code, 'what came on the connection is no HTTP request'));
    const head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\ncontent-type: ${JSON_CONTENT_TYPE}\r\n`;
    socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
  }
  socket.destroySoon();
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  if (response.headersSent) {
    response.once('finish', () => {
      socket.destroySoon();
    });
  }
  // With this header, Node closes the connection after the answer.
  else response.setHeader('connection', 'close');
}
