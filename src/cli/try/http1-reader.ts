import type { Duplex } from 'node:stream';
import { GoError } from './connection.ts';
import { goQuoteBytes } from '../../engine/probe/go-values.ts';

/** The most that the kubelet reads of a body, in bytes (pkg/probe/http/http.go, maxRespBodyLength). */
export const MOST_BODY_BYTES = 10 * 1024;
/** net/http, Transport.MaxResponseHeaderBytes. */
const MOST_HEADER_BYTES = 10 << 20;
/** net/http, persistConn.readResponse: 100 Continue and the like. */
const MOST_INFORMATIONAL = 5;

/** The head of an answer of HTTP/1. */
export interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** The connection ended. `error` is the text of Go for the way in which it ended. */
class Ended extends Error {}

/**
 * Reads an answer of HTTP/1 as Go's net/http does, with its errors. Node's parser accepts and refuses other answers,
 * and hides the bytes that the kubelet's events quote.
 */
export class Http1Reader {
  readonly #stream: Duplex;
  #bytes: Buffer = Buffer.alloc(0);
  #end: { readonly text: string } | undefined;
  #wake: () => void = () => undefined;

  /** @param textOf the words of Go for an error of the stream */
  constructor(stream: Duplex, textOf: (error: unknown) => string) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      if (this.#bytes.length > MOST_BODY_BYTES * 2) stream.pause();
      this.#wake();
    });
    const end = (text: string): void => {
      this.#end ??= { text };
      this.#wake();
    };
    stream.once('end', () => end('EOF'));
    stream.once('error', (error) => end(textOf(error)));
    stream.once('close', () => end('EOF'));
  }

  /** Reads the status line and the headers. Rejects with a GoError. */
  async head(): Promise<Head> {
    // The first byte: what happens before is told without a frame around it (net/http, persistConn.readLoop).
    if (!(await this.#fill(1))) throw new GoError(this.#endText());
    try {
      for (let informational = 0; ; informational += 1) {
        const head = await this.#oneHead();
        const isFinal = head.status < 100 || head.status >= 200 || head.status === 101;
        if (isFinal) return head;
        if (informational >= MOST_INFORMATIONAL) throw new GoError('net/http: too many 1xx informational responses');
      }
    } catch (error) {
      const text = error instanceof Ended ? unexpected(this.#endText()) : (error as Error).message;
      throw new GoError(`net/http: HTTP/1.x transport connection broken: ${text}`);
    }
  }

  async #oneHead(): Promise<Head> {
    const line = await this.#line();
    const status = statusOf(line);
    const headers = new Map<string, string>();
    for (;;) {
      const field = (await this.#line()).toString('latin1');
      if (field === '') return { status, headers };
      const colon = field.indexOf(':');
      if (colon < 1)
        throw new GoError(`malformed MIME header: missing colon: ${goQuoteBytes(Buffer.from(field, 'latin1'))}`);
      const name = field.slice(0, colon).toLowerCase();
      if (!headers.has(name)) headers.set(name, field.slice(colon + 1).trim());
    }
  }

  /**
   * Reads at most 10 KiB of the body. Rejects with a GoError when the body ends too early.
   *
   * @returns true when the body has as much or more
   */
  async bodyIsLong({ status, headers }: Head): Promise<boolean> {
    if (status === 204 || status === 304) return false;
    if (/(?:^|,)\s*chunked\s*$/i.test(headers.get('transfer-encoding') ?? '')) return await this.#chunksAreLong();
    const length = headers.get('content-length');
    if (length !== undefined && !/^\d+$/.test(length))
      throw new GoError(`bad Content-Length ${JSON.stringify(length)}`);
    const wanted = Math.min(length === undefined ? Infinity : Number(length), MOST_BODY_BYTES);
    if (await this.#fill(wanted)) return wanted === MOST_BODY_BYTES;
    if (length !== undefined) throw new GoError(unexpected(this.#endText()));
    // Without a length, the end of the connection is the end of the body.
    if (this.#endText() !== 'EOF') throw new GoError(this.#endText());
    return false;
  }

  async #chunksAreLong(): Promise<boolean> {
    let read = 0;
    try {
      for (;;) {
        const [size = ''] = (await this.#line()).toString('latin1').split(';', 1);
        if (!/^[0-9a-fA-F]{1,16}$/.test(size.trim())) throw new GoError('invalid byte in chunk length');
        const length = Number.parseInt(size, 16);
        if (length === 0) return false;
        const wanted = Math.min(length, MOST_BODY_BYTES - read);
        if (!(await this.#fill(wanted))) throw new Ended();
        read += wanted;
        if (read >= MOST_BODY_BYTES) return true;
        this.#bytes = this.#bytes.subarray(length);
        const end = await this.#line();
        if (end.length > 0) throw new GoError('malformed chunked encoding');
      }
    } catch (error) {
      throw error instanceof Ended ? new GoError(unexpected(this.#endText())) : error;
    }
  }

  /** One line without its end. The last line may end with the connection (net/textproto, ReadLine). */
  async #line(): Promise<Buffer> {
    for (;;) {
      const at = this.#bytes.indexOf(10);
      if (at >= 0) {
        const line = this.#bytes.subarray(0, at);
        this.#bytes = this.#bytes.subarray(at + 1);
        return line.at(-1) === 13 ? line.subarray(0, -1) : line;
      }
      if (this.#bytes.length > MOST_HEADER_BYTES)
        throw new GoError(`net/http: server response headers exceeded ${MOST_HEADER_BYTES} bytes; aborted`);
      if (await this.#more()) continue;
      if (this.#bytes.length === 0) throw new Ended();
      const rest = this.#bytes;
      this.#bytes = Buffer.alloc(0);
      return rest;
    }
  }

  /** True when so many bytes have come; false when the connection ended before. */
  async #fill(bytes: number): Promise<boolean> {
    while (this.#bytes.length < bytes) if (!(await this.#more())) return false;
    return true;
  }

  /** Waits for more bytes. False at the end of the connection. */
  async #more(): Promise<boolean> {
    const before = this.#bytes.length;
    while (this.#bytes.length === before && this.#end === undefined) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#stream.resume();
      await woken;
    }
    return this.#bytes.length > before;
  }

  #endText(): string {
    return this.#end?.text ?? 'EOF';
  }
}

function unexpected(text: string): string {
  return text === 'EOF' ? 'unexpected EOF' : text;
}

/** net/http, ReadResponse. */
function statusOf(line: Buffer): number {
  const text = line.toString('latin1');
  const [, version, code] = /^(\S*) +(\S*)/.exec(text) ?? [];
  if (version === undefined || code === undefined || !text.includes(' '))
    throw new GoError(`malformed HTTP response ${goQuoteBytes(line)}`);
  if (!/^\d{3}$/.test(code))
    throw new GoError(`malformed HTTP status code ${goQuoteBytes(Buffer.from(code, 'latin1'))}`);
  if (!/^HTTP\/\d\.\d$/.test(version))
    throw new GoError(`malformed HTTP version ${goQuoteBytes(Buffer.from(version, 'latin1'))}`);
  return Number(code);
}
