import { expect, it } from 'vitest';
import { WaitingReviews } from '../../src/server/waiting-reviews.ts';

const KIB = 1024;
const room = (): WaitingReviews => new WaitingReviews(400 * KIB);
const forever = (): Promise<void> => new Promise(() => undefined);

it('reviews are counted while they wait, with what every request takes, and no longer, however the wait ends', async () => {
  const waiting = room();
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const waits = [first, second].map(({ promise }) => waiting.until(() => promise, 68 * KIB));
  expect(waiting.until(forever, 68 * KIB)).toBeDefined();
  // 300 of 400 KiB are taken.
  expect(waiting.until(forever, 68 * KIB + 1)).toBeUndefined();
  expect(waiting.until(forever, 68 * KIB)).toBeDefined();
  expect(waiting.until(forever, 0)).toBeUndefined();
  first.resolve(undefined);
  await waits[0];
  expect(waiting.until(forever, 68 * KIB)).toBeDefined();
  expect(waiting.until(forever, 0)).toBeUndefined();
  second.reject(new Error('no news'));
  await expect(waits[1]).rejects.toThrow('no news');
  expect(waiting.until(forever, 68 * KIB)).toBeDefined();
});

it('one review does not take the room of all others', () => {
  expect(room().until(forever, 68 * KIB)).toBeDefined();
  expect(room().until(forever, 68 * KIB + 1)).toBeUndefined();
});

it('many small ones do not wait without end', () => {
  const waiting = room();
  const small = Array.from({ length: 1000 }, () => waiting.until(forever, 100));
  expect(small.filter((wait) => wait !== undefined).length).toBe(12);
});
