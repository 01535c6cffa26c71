import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How much of bodies may be held at a time, and who is told of those that may not. */
export interface BodyLimit {
  /** The most bytes of all bodies that are received and not answered yet. More than the largest body. */
  readonly most: number;
  /** A connection is closed to keep to the limit. */
  readonly dropped: () => void;
}

/** Bodies that are announced to be no longer are not counted: even one on every connection is little. */
const SMALL_BYTES = 64 * 1024;

/**
 * Keeps what is received of bodies within a limit: thirty callers that send 10 MiB but for the last byte would have the server killed for its
 * memory. When it is too much, the connection is closed whose body was begun first: an honest one comes in one piece and is answered in
 * milliseconds, so the oldest is a slow one.
 */
export function limitBodies(app: FastifyInstance, { most, dropped }: BodyLimit): void {
  /** Bytes received, in the order in which the bodies were begun. */
  const received = new Map<IncomingMessage, number>();
  let total = 0;

  const forget = (request: IncomingMessage): void => {
    total -= received.get(request) ?? 0;
    received.delete(request);
  };
  const dropFirst = (): void => {
    const [first] = received.keys();
    if (first === undefined) return;
    forget(first);
    first.socket.destroy();
    dropped();
  };

  app.addHook('preParsing', ({ raw }, reply, payload, done) => {
    const isSmall = Number(raw.headers['content-length']) <= SMALL_BYTES;
    if (!isSmall) {
      received.set(raw, 0);
      reply.raw.once('close', () => {
        forget(raw);
      });
      payload.on('data', (chunk: Buffer | string) => {
        const before = received.get(raw);
        if (before === undefined) return;
        received.set(raw, before + chunk.length);
        total += chunk.length;
        while (total > most) dropFirst();
      });
    }
    done();
  });
}
