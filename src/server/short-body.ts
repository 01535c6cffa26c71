/**
 * The body of a short review, as it arrives. A client may send each byte in a TLS record of its own. Such a body is
 * copied into one buffer of the announced length, so time and memory grow with the length only.
 */
export class ShortBody {
  readonly #length: number;
  /** The only chunk, or the buffer that chunks are copied into. */
  #bytes: Buffer | undefined;
  #received = 0;

  /** @param length the announced length, in bytes */
  constructor(length: number) {
    this.#length = length;
  }

  /** Adds a chunk. The HTTP parser ends a body at the announced length. */
  add(chunk: Buffer): void {
    if (this.#bytes === undefined && chunk.length === this.#length) this.#bytes = chunk;
    else {
      this.#bytes ??= Buffer.allocUnsafe(this.#length);
      chunk.copy(this.#bytes, this.#received);
    }
    this.#received += chunk.length;
  }

  /** The text of the body. The bytes are released. */
  take(): string {
    const text = this.#bytes?.toString('utf8', 0, this.#received) ?? '';
    this.#bytes = undefined;
    return text;
  }
}
