import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody, type Head } from '../../../src/cli/try/http-probe.ts';
import { readHttp1 } from '../../../src/cli/try/http1-reader.ts';

const BROKEN = 'net/http: HTTP/1.x transport connection broken: ';
const textOf = (error: unknown): string => `read: ${(error as Error).message}`;

/** A connection on which these pieces come, and then its end; `undefined` = the end does not come. */
function connection(pieces: readonly (string | Buffer | undefined)[], failure?: Error): Duplex {
  const stream = new Duplex({ readableObjectMode: true, read: () => undefined });
  for (const piece of pieces) if (piece !== undefined) stream.push(Buffer.from(piece as string, 'latin1'));
  if (failure !== undefined) setImmediate(() => stream.destroy(failure));
  else if (!pieces.includes(undefined)) stream.push(null);
  return stream;
}

const read = (...pieces: readonly (string | undefined)[]): Promise<Head> => readHttp1(connection(pieces), textOf);

/** The status and the body of an answer, or the error of the head or of the body. */
async function told(...pieces: readonly (string | undefined)[]): Promise<string> {
  try {
    const { status, body } = await read(...pieces);
    return `${status} ${(await readBody(body)).toString('latin1')}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What is told of an answer with these headers and this body. */
const withHeaders = (headers: string, body = 'ok'): Promise<string> => told(`HTTP/1.1 200 OK\r\n${headers}\r\n${body}`);
const chunked = (body: string): Promise<string> => withHeaders('Transfer-Encoding: chunked\r\n', body);

describe('a status line', () => {
  it.each([
    ['HTTP/1.1 200 OK', '200 '],
    ['HTTP/1.1 200', '200 '],
    ['HTTP/1.1   204 No Content', '204 '],
    ['HTTP/1.0 503 Down', '503 '],
    ['HTTP/1.1 099 Low', '99 '],
    ['HTTP/1.1 20 OK', `${BROKEN}malformed HTTP status code "20"`],
    ['HTTP/1.1 2000 OK', `${BROKEN}malformed HTTP status code "2000"`],
    ['HTTP/1.1 abc', `${BROKEN}malformed HTTP status code "abc"`],
    ['HTTP/11 200 OK', `${BROKEN}malformed HTTP version "HTTP/11"`],
    ['XHTTP/1.1 200 OK', `${BROKEN}malformed HTTP version "XHTTP/1.1"`],
    ['HTTP/1.10 200 OK', `${BROKEN}malformed HTTP version "HTTP/1.10"`],
    ['220-ready', `${BROKEN}malformed HTTP response "220-ready"`],
    ['', `${BROKEN}malformed HTTP response ""`],
  ])('"%s" is read as Go reads it', async (line, expected) => {
    expect(await told(`${line}\r\n\r\n`)).toBe(expected);
  });

  it('is quoted as UTF-8, and byte by byte where it is none', async () => {
    expect(await told('caf\u00c3\u00a9\r\n')).toBe(`${BROKEN}malformed HTTP response "café"`);
    expect(await told('a\u00ff"\u0000~\u007f\u0080\r\n')).toBe(
      `${BROKEN}malformed HTTP response "a\\xff\\"\\x00~\\x7f\\x80"`,
    );
  });
});

describe('the head of an answer', () => {
  it('is the same however its bytes are split, and with line ends of Unix', async () => {
    expect(await told(...Array.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'))).toBe('200 ok');
    expect(await told('HTTP/1.1 200 OK\nContent-Length: 2\n\nok')).toBe('200 ok');
  });

  it('has the first Location, whatever the case of its name, without the blanks around it', async () => {
    const { location } = await read('HTTP/1.1 302 Found\r\nLOCATION: \t /up \r\nLocation: /other\r\n\r\n');
    expect(location).toBe('/up');
    expect((await read('HTTP/1.1 200 OK\r\n\r\n')).location).toBeUndefined();
  });

  it('comes after any number of answers from 100 to 199 but 101', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 199 Odd\r\n\r\n';
    expect(await told(`${early}HTTP/1.1 204 No Content\r\n\r\n`)).toBe('204 ');
    expect(await told('HTTP/1.1 100 Continue\r\n\r\n')).toBe(`${BROKEN}unexpected EOF`);
  });

  it('may have headers over two lines', async () => {
    const { location } = await read('HTTP/1.1 302 Found\r\nLocation: /a\r\n \t b \r\n\tc\r\nServer: x\r\n\r\n');
    expect(location).toBe('/a b c');
  });

  it.each([
    [' X: y\r\n', 'malformed MIME header initial line:  X: y'],
    ['\tX: caf\u00c3\u00a9\r\n', 'malformed MIME header initial line: \tX: café'],
    ['nonsense\r\n', 'malformed MIME header: missing colon: "nonsense"'],
    [': value\r\n', 'malformed MIME header line: : value'],
    ['A(: caf\u00c3\u00a9\r\n', 'malformed MIME header line: A(: café'],
    ['A: b\u0001\r\n', 'malformed MIME header line: A: b\u0001'],
    ['A: b\u007f\r\n', 'malformed MIME header line: A: b\u007f'],
    ['A: \tb\u0080\u00ff ~\r\n', undefined],
    ["a-Z_0!#$%&'*+.^`|~ : b\r\n", undefined],
    ['A: b\r\n  \r\nB: c\r\n', undefined],
  ])('refuses headers that Go refuses: %j', async (headers, problem) => {
    expect(await withHeaders(headers)).toBe(problem === undefined ? '200 ok' : BROKEN + problem);
  });

  it('has lines of 10 MiB at most', async () => {
    const line = `A: ${'b'.repeat((10 << 20) - 7)}`;
    expect(await told('HTTP/1.1 200 OK\r\n', line, '\r\n\r\n')).toBe('200 ');
    expect(await told('HTTP/1.1 200 OK\r\n', line, 'b\r\n\r\n')).toBe(
      `${BROKEN}net/http: server response headers exceeded 10485760 bytes; aborted`,
    );
  });
});

describe('the length of a body', () => {
  it.each([
    ['Content-Length: 1\r\n', '200 o'],
    ['Content-Length: 0\r\n', '200 '],
    ['Content-Length: 2\r\nContent-Length: 2\r\n', '200 ok'],
    ['', '200 ok'],
    ['Content-Length: 3\r\n', 'unexpected EOF'],
    ['Content-Length:\r\n', `${BROKEN}invalid empty Content-Length ""`],
    ['Content-Length: -1\r\n', `${BROKEN}bad Content-Length "-1"`],
    ['Content-Length: 1x\r\n', `${BROKEN}bad Content-Length "1x"`],
    ['Content-Length: x1\r\n', `${BROKEN}bad Content-Length "x1"`],
    ['Content-Length: 9223372036854775807\r\n', 'unexpected EOF'],
    ['Content-Length: 9223372036854775808\r\n', `${BROKEN}bad Content-Length "9223372036854775808"`],
    [
      'Content-Length: 1\r\nContent-Length: 2\r\n',
      `${BROKEN}http: message cannot contain multiple Content-Length headers; got ["1" "2"]`,
    ],
  ])('is what the headers say: %j', async (headers, expected) => {
    expect(await withHeaders(headers)).toBe(expected);
  });

  it.each([101, 204, 304])('is 0 for the status %d, also where a header says more', async (status) => {
    expect(await told(`HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\nok`)).toBe(`${status} `);
  });

  it('is unlimited after an upgrade, and for other statuses a header Upgrade changes nothing', async () => {
    const upgrade = 'Upgrade: websocket\r\nContent-Length: 1\r\n\r\nok';
    expect(await told(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}`)).toBe('101 ok');
    expect(await told(`HTTP/1.1 200 OK\r\n${upgrade}`)).toBe('200 o');
  });

  it('ends the body while the connection stays open', async () => {
    expect(await told('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok', 'ok', undefined)).toBe('200 okok');
  });
});

describe('a body in chunks', () => {
  it.each([
    ['2\r\nok\r\n0\r\n\r\n', '200 ok'],
    ['2\r\nok\r\nA\r\n0123456789\r\n0\r\n\r\n', '200 ok0123456789'],
    ['2;name=value\r\nok\r\n0\r\n\r\n', '200 ok'],
    ['2 \t\r\nok\r\n0\r\n\r\n', '200 ok'],
    ['2\r\nok\r\n0\r\nTrailer: x\r\n\r\n', '200 ok'],
    ['1\r\no\r\n1\r\nk\r\n0\r\n\r\n', '200 ok'],
    ['1\r\nok\r\n0\r\n\r\n', 'malformed chunked encoding'],
    ['0\r\n\r\n', '200 '],
    ['2\r\nok\r\n0\r\n', 'http: unexpected EOF reading trailer'],
    ['2\r\nok\r\n0\r\nnonsense\r\n\r\n', 'malformed MIME header: missing colon: "nonsense"'],
    ['2\r\nokay\r\n0\r\n\r\n', 'malformed chunked encoding'],
    ['2\r\nok\n0\r\n\r\n', 'malformed chunked encoding'],
    ['2\r\nok', 'unexpected EOF'],
    ['20\r\nok', 'unexpected EOF'],
    ['2', 'unexpected EOF'],
    ['', 'unexpected EOF'],
    ['2\nok\n', 'chunked line ends with bare LF'],
    ['2\r \r\nok\r\n', 'invalid CR in chunked line'],
    ['\r\n', 'empty hex number for chunk length'],
    [' \t\r\n', 'empty hex number for chunk length'],
    [';a\r\n', 'empty hex number for chunk length'],
    ['ok\r\n', 'invalid byte in chunk length'],
    ['2g\r\nok\r\n', 'invalid byte in chunk length'],
  ])('is read as Go reads it: %j', async (body, expected) => {
    expect(await chunked(body)).toBe(expected);
  });

  it('has size lines of less than 4096 bytes', async () => {
    const line = (bytes: number): string => `2;${'a'.repeat(bytes - 4)}\r\nok\r\n0\r\n\r\n`;
    expect(await chunked(line(4096))).toBe('200 ok');
    expect(await chunked(line(4098))).toBe('header line too long');
    // No more is read than what shows that the line is too long.
    expect(await told('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 'a'.repeat(4096), undefined)).toBe(
      'header line too long',
    );
  });

  it('is malformed as soon as two other bytes follow a chunk', async () => {
    expect(await told('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '2\r\nokay', undefined)).toBe(
      'malformed chunked encoding',
    );
  });

  it('is asked for by the one encoding "chunked", which an answer of HTTP/1.0 cannot have', async () => {
    const body = '2\r\nok\r\n0\r\n\r\n';
    expect(await withHeaders('Transfer-Encoding: CHUNKED\r\n', body)).toBe('200 ok');
    expect(await withHeaders('Transfer-Encoding: chunked\r\nContent-Length: 1\r\n', body)).toBe('200 ok');
    expect(await withHeaders('Transfer-Encoding: gzip\r\n')).toBe(`${BROKEN}unsupported transfer encoding: "gzip"`);
    expect(await withHeaders('Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n')).toBe(
      `${BROKEN}too many transfer encodings: ["chunked" "gzip"]`,
    );
    expect(await told(`HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)).toBe(`200 ${body}`);
    expect(await told(`HTTP/2.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`)).toBe('200 ok');
  });
});

describe('a connection that ends', () => {
  it('before the first byte is told without a frame', async () => {
    expect(await told()).toBe('EOF');
    await expect(readHttp1(connection([], new Error('reset')), textOf)).rejects.toThrow(/^read: reset$/);
  });

  it('within the head breaks the answer', async () => {
    expect(await told('HTTP/1.1 2')).toBe(`${BROKEN}malformed HTTP status code "2"`);
    expect(await told('HTTP/1.1 200 OK\r\nA: b\r\n')).toBe(`${BROKEN}unexpected EOF`);
    expect(await told('HTTP/1.1 200 OK\r\nA: b')).toBe(`${BROKEN}unexpected EOF`);
  });

  it('by an error within the head has the words of the error', async () => {
    const stream = connection(['HTTP/1.1 200 OK\r\n', undefined]);
    const head = readHttp1(stream, textOf);
    setImmediate(() => stream.destroy(new Error('reset')));
    await expect(head).rejects.toThrow(`${BROKEN}read: reset`);
  });

  it('without a reason is an end: nobody closed the stream in order', async () => {
    const stream = connection(['HTTP/1.1 200 OK\r\n', undefined]);
    const head = readHttp1(stream, textOf);
    setImmediate(() => stream.destroy());
    await expect(head).rejects.toThrow(`${BROKEN}unexpected EOF`);
  });

  it('by an error is no end of a body without a length', async () => {
    const stream = connection(['HTTP/1.1 200 OK\r\n\r\nok', undefined]);
    const { body } = await readHttp1(stream, textOf);
    setImmediate(() => stream.destroy(new Error('reset')));
    await expect(readBody(body)).rejects.toThrow(/^read: reset$/);
  });
});
