import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf } from './answer.ts';
import { GoError } from './connection.ts';
import { goQuote, goCharacter } from '../../engine/probe/go-values.ts';
import type { Head } from './http-probe.ts';

/** net/http, Transport.MaxResponseHeaderBytes. */
const MOST_HEADER_BYTES = 10 << 20;

/**
 * Reads an answer of HTTP/1 as Go's net/http does, with its errors. Node's parser accepts and refuses other answers,
 * and hides the bytes that the kubelet's events quote. Rejects with a GoError.
 *
 * @param textOf the words of Go for an error of the stream
 */
export async function readHttp1(stream: Duplex, textOf: (error: unknown) => string): Promise<Head> {
  const source = new Source(stream, textOf);
  // The first byte: what happens before is told without a frame around it (net/http, persistConn.readLoop).
  if (!(await source.more())) throw new GoError(source.end);
  try {
    for (;;) {
      const head = await readHead(source);
      // 100 Continue, and the like (net/http, persistConn.readResponse).
      if (head.status < 100 || head.status >= 200 || head.status === 101) return head;
    }
  } catch (error) {
    throw new GoError(`net/http: HTTP/1.x transport connection broken: ${messageOf(error)}`);
  }
}

async function readHead(source: Source): Promise<Head> {
  const { status, isOld } = statusOf(await source.line());
  const lines: string[] = [];
  for (let line = await source.line(); line !== ''; line = await source.line()) {
    if (/^[ \t]/.test(line)) {
      const before = lines.pop();
      if (before === undefined) throw new GoError(`malformed MIME header initial line: ${line}`);
      lines.push(`${before} ${line.trim()}`);
    } else if (line.includes(':')) lines.push(line);
    else throw new GoError(`malformed MIME header: missing colon: ${goQuoteBytes(line)}`);
  }
  const fields = Map.groupBy(lines.map(fieldOf), ([name]) => name);
  const valuesOf = (name: string): string[] => (fields.get(name) ?? []).map(([, value]) => value);
  const [location] = valuesOf('location');
  const isChunked = !isOld && chunked(valuesOf('transfer-encoding'));
  const length = contentLength(valuesOf('content-length'));
  if (status === 204 || status === 304) return { status, location, body: source.take(0) };
  return { status, location, body: isChunked ? chunks(source) : source.take(length) };
}

/** net/http/internal/chunked.go */
async function* chunks(source: Source): AsyncGenerator<Buffer> {
  for (;;) {
    const [size = ''] = (await source.line()).split(';', 1);
    if (!/^[0-9a-f]{1,16}$/i.test(size.trim())) throw new GoError('invalid byte in chunk length');
    const length = Number.parseInt(size, 16);
    if (length === 0) return;
    yield* source.take(length);
    if ((await source.line()) !== '') throw new GoError('malformed chunked encoding');
  }
}

/** The bytes of a stream, in lines and pieces. */
class Source {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #textOf: (error: unknown) => string;
  #bytes: Buffer = Buffer.alloc(0);
  /** The text of Go for the way in which the connection ended. Undefined while it is open. */
  end: string | undefined;

  constructor(stream: Duplex, textOf: (error: unknown) => string) {
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#textOf = textOf;
  }

  /** Waits for more bytes. False at the end. */
  async more(): Promise<boolean> {
    if (this.end !== undefined) return false;
    try {
      const next = await this.#chunks.next();
      if (next.done === true) this.end = 'EOF';
      else this.#bytes = Buffer.concat([this.#bytes, next.value]);
    } catch (error) {
      this.end = codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE' ? 'EOF' : this.#textOf(error);
    }
    return this.end === undefined;
  }

  /** One line in Latin-1, without its end. The last line may end with the connection (net/textproto, ReadLine). */
  async line(): Promise<string> {
    let at = this.#bytes.indexOf('\n');
    while (at < 0 && (await this.more())) {
      if (this.#bytes.length > MOST_HEADER_BYTES)
        throw new GoError(`net/http: server response headers exceeded ${MOST_HEADER_BYTES} bytes; aborted`);
      at = this.#bytes.indexOf('\n');
    }
    if (this.#bytes.length === 0) throw this.#endedEarly();
    const end = at < 0 ? this.#bytes.length : at + 1;
    const line = this.#bytes.toString('latin1', 0, end);
    this.#bytes = this.#bytes.subarray(end);
    return line.replace(/\r?\n$/, '');
  }

  /** The next bytes in pieces; without a length, all until the connection ends. */
  async *take(length = Infinity): AsyncGenerator<Buffer> {
    for (let rest = length; rest > 0;) {
      if (this.#bytes.length === 0 && !(await this.more())) {
        if (length === Infinity && this.end === 'EOF') return;
        throw this.#endedEarly();
      }
      const piece = this.#bytes.subarray(0, rest);
      this.#bytes = this.#bytes.subarray(piece.length);
      rest -= piece.length;
      yield piece;
    }
  }

  #endedEarly(): GoError {
    return new GoError(this.end === 'EOF' ? 'unexpected EOF' : this.end);
  }
}

/** net/http, ReadResponse. Answers of HTTP/1.0 are old. */
function statusOf(line: string): { readonly status: number; readonly isOld: boolean } {
  const [, version, code] = /^(\S*) +(\S*)/.exec(line) ?? [];
  if (version === undefined || code === undefined) throw new GoError(`malformed HTTP response ${goQuoteBytes(line)}`);
  if (!/^\d{3}$/.test(code)) throw new GoError(`malformed HTTP status code ${goQuoteBytes(code)}`);
  if (!/^HTTP\/\d\.\d$/.test(version)) throw new GoError(`malformed HTTP version ${goQuoteBytes(version)}`);
  return { status: Number(code), isOld: version < 'HTTP/1.1' };
}

/** A header with its name in small letters (net/textproto, ReadMIMEHeader). */
function fieldOf(line: string): readonly [name: string, value: string] {
  const [, name, value] = /^([-\w!#$%&'*+.^`|~ ]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new GoError(`malformed MIME header line: ${line.trim()}`);
  return [name.toLowerCase(), value.trim()];
}

/** net/http/transfer.go, parseTransferEncoding. */
function chunked([encoding, ...others]: readonly string[]): boolean {
  if (encoding === undefined) return false;
  if (others.length > 0) throw new GoError(`too many transfer encodings: ${goQuoteAll([encoding, ...others])}`);
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

/** Bytes, which a text in Latin-1 holds, as Go's `%q` writes them. What is no ASCII is escaped. */
function goQuoteBytes(latin1: string): string {
  const escaped = (byte: string): string =>
    byte < '\x80' ? goCharacter(byte) : `\\x${byte.charCodeAt(0).toString(16)}`;
  return `"${Array.from(latin1, escaped).join('')}"`;
}
