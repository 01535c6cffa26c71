import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { MOST_BYTES, TOO_LONG } from '../../../src/engine/workload/size-limits.ts';
import { IncomingBody } from '../../../src/webhook/http/incoming-body.ts';
import {
  BEGINNING_BYTES,
  CROWDED,
  ReviewReceiver,
  SMALL_BYTES,
  type ReceivedText,
} from '../../../src/webhook/http/receive-review.ts';

const MIB = 1024 * 1024;
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Sends a body of so many bytes that begins with a text. */
function send(
  receiver: ReviewReceiver,
  bytes: number,
  { text = '', isUnannounced = false, address = 'api', namespace = 'shop', milliseconds = 5000 } = {},
): Promise<ReceivedText> {
  const stream = new PassThrough();
  stream.end(Buffer.from(text.padEnd(bytes, 'x')));
  const waiting = (): { address: string; namespace: string; milliseconds: number } => ({
    address,
    namespace,
    milliseconds,
  });
  return receiver.receive(new IncomingBody(stream), isUnannounced ? undefined : bytes, waiting);
}

const newReceiver = (): ReviewReceiver => new ReviewReceiver(() => performance.now());

/** What is said of the text: its length, and why it is not all that is judged. */
function told({ text, unread, refused }: ReceivedText): readonly [number, string | undefined] {
  return [text.length, unread ?? refused];
}

describe('a review that is received', () => {
  it.each<[string, number, readonly [number, string | undefined]]>([
    ['small', SMALL_BYTES, [SMALL_BYTES, undefined]],
    ['large', SMALL_BYTES + 1, [SMALL_BYTES + 1, undefined]],
    ['as long as is judged', MOST_BYTES, [MOST_BYTES, undefined]],
    ['longer', MOST_BYTES + 1, [MOST_BYTES, TOO_LONG]],
    ['much longer', 40 * MIB, [MOST_BYTES, TOO_LONG]],
  ])('is kept as far as it is judged: %s', async (_, bytes, expected) => {
    const received = await send(newReceiver(), bytes);
    received.release();
    expect(told(received)).toEqual(expected);
    const unannounced = await send(newReceiver(), bytes, { isUnannounced: true });
    unannounced.release();
    expect(told(unannounced)).toEqual(expected);
  });

  it('of a creation that is too long needs no room, so it never waits', async () => {
    const receiver = newReceiver();
    const holder = await send(receiver, MIB);
    const text = '{"request":{"operation":"CREATE",';
    expect((await send(receiver, MOST_BYTES + 1, { text })).unread).toBe(TOO_LONG);
    holder.release();
  });

  it('waits while another large one of its address is under review', async () => {
    const receiver = newReceiver();
    const holder = await send(receiver, MIB);
    let isReceived = false;
    const second = send(receiver, MIB).finally(() => (isReceived = true));
    expect((await send(receiver, SMALL_BYTES)).refused).toBeUndefined();
    (await send(receiver, MIB, { address: 'other' })).release();
    await nextTurn();
    expect(isReceived).toBe(false);
    holder.release();
    const received = await second;
    expect([received.text.length, received.refused]).toEqual([MIB, undefined]);
    received.release();
  });

  it('is refused when it cannot wait longer, and has its beginning then', async () => {
    const receiver = newReceiver();
    const holder = await send(receiver, MIB);
    const late = await send(receiver, MIB, { milliseconds: 20 });
    late.release();
    expect(late.refused).toBe(CROWDED);
    expect(late.text.length).toBeGreaterThanOrEqual(BEGINNING_BYTES);
    holder.release();
    const next = await send(receiver, MIB, { milliseconds: 20 });
    expect(next.refused).toBeUndefined();
    next.release();
  });

  it('is refused at once when its namespace has too much waiting, and other namespaces wait', async () => {
    const receiver = newReceiver();
    const holder = await send(receiver, MIB);
    const waiting = Array.from({ length: 10 }, () => send(receiver, 6 * MIB));
    await nextTurn();
    expect((await send(receiver, 6 * MIB)).refused).toBe(CROWDED);
    const other = send(receiver, 6 * MIB, { namespace: 'cart' });
    await nextTurn();
    const inOrder: string[] = [];
    const finish = (name: string) => (received: ReceivedText) => {
      inOrder.push(name);
      received.release();
    };
    void Promise.all(waiting.map((each) => each.then(finish('shop'))));
    void other.then(finish('cart'));
    holder.release();
    await Promise.all([...waiting, other]);
    expect([inOrder.length, inOrder.indexOf('cart')]).toEqual([11, 1]);
  });

  it('that the caller breaks off gives its room back', async () => {
    const receiver = newReceiver();
    const stream = new PassThrough();
    const broken = receiver.receive(new IncomingBody(stream), MIB, () => ({
      address: 'api',
      namespace: 'shop',
      milliseconds: 5000,
    }));
    stream.write(Buffer.alloc(100_000));
    await nextTurn();
    stream.destroy();
    await expect(broken).rejects.toMatchObject({ statusCode: 400 });
    const next = await send(receiver, MIB, { milliseconds: 20 });
    expect(next.refused).toBeUndefined();
    next.release();
  });
});
