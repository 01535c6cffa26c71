import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/text/error-message.ts';
import { codeOf, utf8 } from './answer.ts';
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
  const fields = await readFields(source);
  const [location] = fields.get('location') ?? [];
  const isChunked = !isOld && chunked(fields.get('transfer-encoding') ?? []);
  const length = contentLength(fields.get('content-length') ?? []);
  // After an upgrade, the rest of the connection is the body.
  if (status === 101 && fields.has('upgrade')) return { status, location, body: source.take() };
  if ([101, 204, 304].includes(status)) return { status, location, body: source.take(0) };
  return { status, location, body: isChunked ? chunks(source) : source.take(length) };
}

/** The values of headers or trailers, by names in small letters (net/textproto, ReadMIMEHeader). */
async function readFields(source: Source): Promise<ReadonlyMap<string, readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (let field: string | undefined; ;) {
    const line = await source.line();
    if (/^[ \t]/.test(line)) {
      if (field === undefined) throw new GoError(`malformed MIME header initial line: ${utf8(line)}`);
      field = trimmed(`${field} ${trimmed(line)}`);
      continue;
    }
    if (field !== undefined) addField(fields, field);
    if (line === '') return fields;
    if (!line.includes(':')) throw new GoError(`malformed MIME header: missing colon: ${goQuoteBytes(line)}`);
    field = trimmed(line);
  }
}

/** What is wrong with the line before a chunk, in Go's order (net/http/internal/chunked.go). */
const CHUNK_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^.{4096}/, 'header line too long'],
  [/[^\n]$/, 'unexpected EOF'],
  [/^[^\r]*\n$/, 'chunked line ends with bare LF'],
  [/\r(?!\n$)/, 'invalid CR in chunked line'],
  [/^(?:[ \t]*\r|;)/, 'empty hex number for chunk length'],
  [/^(?![\da-f]+(?:;|[ \t]*\r))/i, 'invalid byte in chunk length'],
];

async function* chunks(source: Source): AsyncGenerator<Buffer> {
  for (let length = Infinity; length > 0;) {
    const line = await source.rawLine(4096);
    const fault = CHUNK_FAULTS.find(([pattern]) => pattern.test(line))?.[1];
    if (fault !== undefined) throw new GoError(fault);
    length = Number.parseInt(line, 16);
    yield* source.take(length);
    if (length > 0 && (await source.rawLine(2)) !== '\r\n') throw new GoError('malformed chunked encoding');
  }
  try {
    await readFields(source);
  } catch (error) {
    throw source.end === undefined ? error : new GoError('http: unexpected EOF reading trailer');
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

  /** One line in Latin-1, without its end. */
  async line(): Promise<string> {
    return (await this.rawLine()).replace(/\r?\n$/, '');
  }

  /** The same with its end. The last line may end with the connection (net/textproto, ReadLine). */
  async rawLine(most = Infinity): Promise<string> {
    let at = this.#bytes.indexOf('\n');
    while (at < 0 && this.#bytes.length < most && (await this.more())) {
      if (this.#bytes.length > MOST_HEADER_BYTES)
        throw new GoError(`net/http: server response headers exceeded ${MOST_HEADER_BYTES} bytes; aborted`);
      at = this.#bytes.indexOf('\n');
    }
    if (this.#bytes.length === 0) throw this.#endedEarly();
    // Go tells only once that a connection was reset.
    if (at < 0) this.end = 'EOF';
    const end = at < 0 ? this.#bytes.length : at + 1;
    const line = this.#bytes.toString('latin1', 0, end);
    this.#bytes = this.#bytes.subarray(end);
    return line;
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
  const [, version, code] = /^([^ ]*) +([^ ]*)/.exec(line) ?? [];
  if (version === undefined || code === undefined) throw new GoError(`malformed HTTP response ${goQuoteBytes(line)}`);
  if (!/^\d{3}$/.test(code)) throw new GoError(`malformed HTTP status code ${goQuoteBytes(code)}`);
  if (!/^HTTP\/\d\.\d$/.test(version)) throw new GoError(`malformed HTTP version ${goQuoteBytes(version)}`);
  return { status: Number(code), isOld: version < 'HTTP/1.1' };
}

function addField(fields: Map<string, string[]>, line: string): void {
  const [, name, value] = /^([-\w!#$%&'*+.^`|~ ]+):([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new GoError(`malformed MIME header line: ${utf8(line)}`);
  const key = name.toLowerCase();
  const values = fields.get(key) ?? [];
  values.push(value.trim());
  fields.set(key, values);
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
  if (!/^\d+$/.test(length) || BigInt(length) >= 1n << 63n) throw new GoError(`bad Content-Length ${goQuote(length)}`);
  return Number(length);
}

/** Strings as Go prints a list of them with %q. */
function goQuoteAll(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}

/** Bytes, which a text in Latin-1 holds, as Go's `%q` writes them. What is no UTF-8 is escaped. */
function goQuoteBytes(latin1: string): string {
  const text = utf8(latin1);
  if (!text.includes('\ufffd')) return goQuote(text);
  const escaped = (byte: string): string =>
    byte < '\x80' ? goCharacter(byte) : `\\x${byte.charCodeAt(0).toString(16)}`;
  return `"${Array.from(latin1, escaped).join('')}"`;
}

/** net/textproto, trim. */
function trimmed(line: string): string {
  return line.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}
