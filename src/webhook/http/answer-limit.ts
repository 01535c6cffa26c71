import { addressOf, SharedQuantity } from '../../process/http-app.ts';
import { shortReply, type AdmissionReviewReply } from '../review/response.ts';
import type { FastifyInstance } from 'fastify';

/** Longer answers count: a shorter one on every connection takes little memory. */
const SHORT_CHARACTERS = 16 * 1024;
/** Of answers of all addresses. The chart's memory limit has room for them. One address may hold 16 MiB. */
const UNREAD_CHARACTERS = 48 * 1024 * 1024;

/**
 * Limits the memory of answers that callers do not read. A further answer has the verdict without its details. Tells
 * `dropped` the remote address.
 */
export function limitAnswers(app: FastifyInstance, dropped: (address: string) => void): void {
  const unread = new SharedQuantity(UNREAD_CHARACTERS);
  app.addHook('onSend', ({ raw: { socket } }, { raw: response }, payload, done) => {
    // `close` has come already if the client has disconnected.
    if (typeof payload !== 'string' || payload.length <= SHORT_CHARACTERS || response.destroyed) {
      done(null, payload);
      return;
    }
    const { length } = payload;
    const address = addressOf(socket);
    if (!unread.take(address, length)) {
      dropped(address);
      done(null, JSON.stringify(shortReply(JSON.parse(payload) as AdmissionReviewReply)));
      return;
    }
    // A response behind an unsent one has no `close` when the client disconnects, so the socket counts, too.
    const free = (): void => {
      response.off('close', free);
      socket.off('close', free);
      unread.giveBack(address, length);
    };
    response.once('close', free);
    socket.once('close', free);
    done(null, payload);
  });
}
