import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf } from './answer.ts';
import { GoError } from './connection.ts';
import { goQuote, goQuoteBytes } from '../../engine/probe/go-values.ts';

/** The most that the kubelet reads of a body, in bytes (pkg/probe/http/http.go, maxRespBodyLength). */
export const MOST_BODY_BYTES = 10 * 1024;
/** net/http, Transport.MaxResponseHeaderBytes. */
const MOST_HEADER_BYTES = 10 << 20;
/** net/http, persistConn.readResponse: 100 Continue and the like. */
const MOST_INFORMATIONAL = 5;

/** The head of an answer of HTTP/1. */
interface Http1Head {
  readonly status: number;
  readonly location: string | undefined;
  readonly isChunked: boolean;
  /** The bytes of the body. Undefined when the end of the connection ends it. */
  readonly length: number | undefined;
}

/**
 * Reads an answer of HTTP/1 as Go's net/http does, with its errors. Node's parser accepts and refuses other answers,
 * and hides the bytes that the kubelet's events quote.
 */
export class Http1Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #textOf: (error: unknown) => string;
  #bytes: Buffer = Buffer.alloc(0);
  /** The text of Go for the way in which the connection ended. Undefined while it is open. */
  #end: string | undefined;

  /** @param textOf the words of Go for an error of the stream */
  constructor(stream: Duplex, textOf: (error: unknown) => string) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#textOf = textOf;
  }

  async head(): Promise<Http1Head> {
    // The first byte: what happens before is told without a frame around it (net/http, persistConn.readLoop).
    if (!(await this.#fill(1))) throw new GoError(this.#end);
    try {
      for (let informational = 0; informational <= MOST_INFORMATIONAL; informational += 1) {
        const head = await this.#oneHead();
        if (head.status < 100 || head.status >= 200 || head.status === 101) return head;
      }
      throw new GoError('net/http: too many 1xx informational responses');
    } catch (error) {
      throw new GoError(`net/http: HTTP/1.x transport connection broken: ${messageOf(error)}`);
    }
  }

  async #oneHead(): Promise<Http1Head> {
    const { status, isOld } = statusOf(await this.#line());
    const lines: string[] = [];
    for (;;) {
      const line = (await this.#line()).toString('latin1');
      if (line === '') break;
      if (/^[ \t]/.test(line)) {
        const before = lines.pop();
        if (before === undefined) throw new GoError(`malformed MIME header initial line: ${line}`);
        lines.push(`${before} ${line.trim()}`);
      } else if (line.includes(':')) lines.push(line);
      else throw new GoError(`malformed MIME header: missing colon: ${goQuoteBytes(Buffer.from(line, 'latin1'))}`);
    }
    const fields = lines.map(fieldOf);
    const valuesOf = (wanted: string): string[] => fields.flatMap(([name, value]) => (name === wanted ? [value] : []));
    const [location] = valuesOf('location');
    const isChunked = !isOld && chunked(valuesOf('transfer-encoding'));
    const length = contentLength(valuesOf('content-length'));
    if (status === 204 || status === 304) return { status, location, isChunked: false, length: 0 };
    return { status, location, isChunked, length };
  }

  /**
   * Reads at most 10 KiB of the body. Rejects with a GoError when the body ends too early.
   *
   * @returns true when the body has as much or more
   */
  async bodyIsLong({ isChunked, length }: Http1Head): Promise<boolean> {
    if (isChunked) return await this.#chunksAreLong();
    const wanted = Math.min(length ?? Infinity, MOST_BODY_BYTES);
    if (await this.#fill(wanted)) return wanted === MOST_BODY_BYTES;
    // Without a length, the end of the connection is the end of the body.
    if (length === undefined && this.#end === 'EOF') return false;
    throw this.#endedEarly();
  }

  /** net/http/internal/chunked.go */
  async #chunksAreLong(): Promise<boolean> {
    for (let read = 0; ;) {
      const [size = ''] = (await this.#line()).toString('latin1').split(';', 1);
      if (!/^[0-9a-f]{1,16}$/i.test(size.trim())) throw new GoError('invalid byte in chunk length');
      const length = Number.parseInt(size, 16);
      if (length === 0) return false;
      const wanted = Math.min(length, MOST_BODY_BYTES - read);
      if (!(await this.#fill(wanted))) throw this.#endedEarly();
      read += wanted;
      if (read >= MOST_BODY_BYTES) return true;
      this.#bytes = this.#bytes.subarray(length);
      if ((await this.#line()).length > 0) throw new GoError('malformed chunked encoding');
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
      if (this.#bytes.length === 0) throw this.#endedEarly();
      const rest = this.#bytes;
      this.#bytes = Buffer.alloc(0);
      return rest;
    }
  }

  async #fill(bytes: number): Promise<boolean> {
    while (this.#bytes.length < bytes) if (!(await this.#more())) return false;
    return true;
  }

  async #more(): Promise<boolean> {
    if (this.#end !== undefined) return false;
    try {
      const next = await this.#chunks.next();
      if (next.done !== true) {
        this.#bytes = Buffer.concat([this.#bytes, next.value]);
        return true;
      }
      this.#end = 'EOF';
    } catch (error) {
      this.#end = codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE' ? 'EOF' : this.#textOf(error);
    }
    return false;
  }

  #endedEarly(): GoError {
    return new GoError(this.#end === 'EOF' ? 'unexpected EOF' : this.#end);
  }
}

/** net/http, ReadResponse. Answers of HTTP/1.0 are old. */
function statusOf(line: Buffer): { readonly status: number; readonly isOld: boolean } {
  const [, version, code] = /^(\S*) +(\S*)/.exec(line.toString('latin1')) ?? [];
  if (version === undefined || code === undefined) throw new GoError(`malformed HTTP response ${goQuoteBytes(line)}`);
  if (!/^\d{3}$/.test(code))
    throw new GoError(`malformed HTTP status code ${goQuoteBytes(Buffer.from(code, 'latin1'))}`);
  if (!/^HTTP\/\d\.\d$/.test(version))
    throw new GoError(`malformed HTTP version ${goQuoteBytes(Buffer.from(version, 'latin1'))}`);
  return { status: Number(code), isOld: version < 'HTTP/1.1' };
}

/** A header with its name in small letters (net/textproto, ReadMIMEHeader). */
function fieldOf(line: string): readonly [name: string, value: string] {
  const [, name, value] = /^([-\w!#$%&'*+.^`|~ ]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new GoError(`malformed MIME header line: ${line.trim()}`);
  return [name.toLowerCase(), value.trim()];
}

/** net/http/transfer.go, parseTransferEncoding. */
function chunked(encodings: readonly string[]): boolean {
  const [encoding] = encodings;
  if (encoding === undefined) return false;
  if (encodings.length > 1) throw new GoError(`too many transfer encodings: ${goQuoteAll(encodings)}`);
  if (encoding.toLowerCase() !== 'chunked') throw new GoError(`unsupported transfer encoding: ${goQuote(encoding)}`);
  return true;
}

/** net/http/transfer.go, fixLength. */
function contentLength(lengths: readonly string[]): number | undefined {
  const [length] = lengths;
  if (length === undefined) return undefined;
  if (lengths.some((other) => other !== length))
    throw new GoError(`http: message cannot contain multiple Content-Length headers; got ${goQuoteAll(lengths)}`);
  if (length === '') throw new GoError('invalid empty Content-Length ""');
  if (!/^\d{1,18}$/.test(length)) throw new GoError(`bad Content-Length ${goQuote(length)}`);
  return Number(length);
}

/** Strings as Go prints a list of them with %q. */
function goQuoteAll(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
