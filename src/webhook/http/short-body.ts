import { managedFieldsIn } from '../review/managed-fields.ts';
import type { Part } from '../review/managed-fields.ts';

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

  /**
   * The text of the body, without the objects' managedFields. The bytes are released. Bytes that are left out before
   * they are decoded cost no text.
   */
  take(): string {
    const bytes = this.#bytes?.subarray(0, this.#received);
    this.#bytes = undefined;
    if (bytes === undefined) return '';
    return bytes.toString('utf8', 0, withoutParts(bytes, managedFieldsIn(bytes)));
  }
}

/** Moves the rest of the bytes together, in place. Returns the length of the rest. */
function withoutParts(bytes: Buffer, parts: readonly Part[]): number {
  let end = bytes.length;
  for (const { from, to } of parts.toReversed()) {
    bytes.copyWithin(from, to, end);
    end -= to - from;
  }
  return end;
}
