import { httpError } from './status.ts';
import type { Readable } from 'node:stream';

/**
 * Longer than any review of an API server. It reads 3 MiB of a request (MaxRequestBodyBytes), Go writes `<`, `>` and
 * `&` in six bytes (encoding/json), and an update has two objects: 36 MiB and some.
 */
export const MOST_RECEIVED_BYTES = 64 * 1024 * 1024;

export const HUNG_UP = 'the caller hung up before the answer';

/**
 * The body of a request, which is received in two steps. Between them the sender waits, and the process holds no more
 * than the beginning.
 *
 * Both steps reject with HTTP 400 for a caller that hangs up, and with HTTP 413 for more bytes than any API
 * server sends.
 */
export class IncomingBody {
  readonly #stream: Readable;
  #beginning: Buffer = Buffer.alloc(0);
  #received = 0;

  constructor(stream: Readable) {
    // An error between the steps must not end the process: the next step finds the stream destroyed.
    this.#stream = stream.on('error', () => undefined);
  }

  /** The number of bytes that have come. */
  get received(): number {
    return this.#received;
  }

  /** At least so many bytes, as text, unless the body is shorter. The last character may be broken. */
  async beginning(bytes: number): Promise<{ readonly text: string; readonly isWhole: boolean }> {
    const chunks: Buffer[] = [];
    const isWhole = await this.#receive((chunk) => {
      chunks.push(chunk);
      return this.#received < bytes;
    });
    const [first = this.#beginning, ...others] = chunks;
    // Most reviews come in one chunk, of which no copy is needed.
    this.#beginning = others.length === 0 ? first : Buffer.concat(chunks);
    return { text: this.#beginning.toString(), isWhole };
  }

  /**
   * Receives the rest. Chunks are copied: in a list they would outlive V8's young generation, and stay as garbage.
   *
   * @param into room for the whole body, or for a part; what does not fit is dropped
   * @param received is called with the length of each chunk when nothing holds the chunk any more
   * @returns the text in `into`
   */
  async rest(into: Buffer, received: (bytes: number) => void): Promise<string> {
    let length = this.#beginning.copy(into);
    this.#beginning = Buffer.alloc(0);
    await this.#receive((chunk) => {
      length += chunk.copy(into, length);
      received(chunk.length);
      return true;
    });
    return into.toString('utf8', 0, length);
  }

  #receive(wantsMore: (chunk: Buffer) => boolean): Promise<boolean> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        stream.pause();
        stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      };
      const onData = (chunk: Buffer): void => {
        this.#received += chunk.length;
        const isTooLong = this.#received > MOST_RECEIVED_BYTES;
        if (!isTooLong && wantsMore(chunk)) return;
        stop();
        if (isTooLong) reject(tooManyBytes());
        else resolve(false);
      };
      const onEnd = (): void => {
        stop();
        resolve(true);
      };
      const onClose = (): void => {
        stop();
        reject(httpError(400, HUNG_UP));
      };
      stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
      // The end may have come with the last chunk of the step before.
      if (stream.readableEnded) onEnd();
      else if (stream.destroyed) onClose();
      else stream.resume();
    });
  }
}

export function tooManyBytes(): Error {
  return httpError(413, `the body has more than ${MOST_RECEIVED_BYTES} bytes, which no API server sends`);
}
