import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncomingBody, MOST_RECEIVED_BYTES } from '../../../src/webhook/http/incoming-body.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const nothing = Buffer.alloc(0);
const ignored = (): void => undefined;

/** A stream that brings chunks, one in a turn. */
function sent(chunks: readonly string[]): PassThrough {
  const stream = new PassThrough();
  void (async () => {
    for (const chunk of chunks) {
      stream.write(chunk);
      await nextTurn();
    }
    stream.end();
  })();
  return stream;
}

describe('a body', () => {
  it('is the same in one step and in two, however it is cut into chunks', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 9 })), fc.nat(40), fc.nat(80), async (chunks, first, room) => {
        const whole = Buffer.from(chunks.join(''));
        const body = new IncomingBody(sent(chunks));
        const { text, isWhole } = await body.beginning(first);
        expect(whole.toString()).toContain(text.replace(/\uFFFD+$/, ''));
        if (isWhole) expect(text).toBe(whole.toString());
        if (isWhole) return;
        const lengths: number[] = [];
        const rest = await body.rest(Buffer.alloc(room), (length) => lengths.push(length));
        expect(rest).toBe(whole.subarray(0, room).toString());
        expect(body.received).toBe(whole.length);
      }),
    ));

  it('that has come whole before the second step is whole', async () => {
    const stream = new PassThrough();
    const body = new IncomingBody(stream);
    stream.end('abcdef');
    expect(await body.beginning(3)).toEqual({ text: 'abcdef', isWhole: false });
    // Node tells the end of an empty stream in the next turn.
    stream.read();
    await nextTurn();
    expect(stream.readableEnded).toBe(true);
    expect(await body.rest(Buffer.alloc(9), ignored)).toBe('abcdef');
  });

  it('waits between the steps: the sender cannot fill the memory', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    const body = new IncomingBody(stream);
    stream.write('x'.repeat(20));
    await body.beginning(5);
    while (stream.write('y'.repeat(20)));
    await nextTurn();
    expect([body.received, stream.isPaused()]).toEqual([20, true]);
  });

  it.each(['before', 'between', 'during'])('of a caller that hangs up is an error of the caller: %s', async (when) => {
    const stream = new PassThrough();
    const body = new IncomingBody(stream);
    if (when === 'before') {
      stream.destroy(new Error('reset'));
      await expect(body.beginning(5)).rejects.toMatchObject({ statusCode: 400 });
      return;
    }
    stream.write('x'.repeat(20));
    await body.beginning(5);
    if (when === 'between') {
      stream.destroy(new Error('reset'));
      await nextTurn();
    }
    const rest = body.rest(nothing, ignored);
    stream.destroy();
    await expect(rest).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('hung up') as string,
    });
  });

  it('that is longer than any body of an API server is refused while it comes', async () => {
    const stream = new PassThrough();
    const body = new IncomingBody(stream);
    const rest = body.beginning(5).then(() => body.rest(nothing, ignored));
    const refused = expect(rest).rejects.toMatchObject({ statusCode: 413 });
    const chunk = Buffer.alloc(1024 * 1024);
    for (let sum = 0; sum <= MOST_RECEIVED_BYTES; sum += chunk.length) {
      stream.write(chunk);
      await nextTurn();
    }
    await refused;
    expect(body.received).toBe(MOST_RECEIVED_BYTES + chunk.length);
  });
});
