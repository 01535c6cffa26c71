import { expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { WaitingReviews } from '../../../src/webhook/http/waiting-reviews.ts';

const KIB = 1024;
const addresses = new Addresses(() => 0);
const [A, B] = ['10.0.0.1', '10.0.0.2'].map((remoteAddress) => addresses.of({ remoteAddress }));
if (A === undefined || B === undefined) throw new Error('unreachable');
const room = (): WaitingReviews => new WaitingReviews(400 * KIB);
const forever = (): Promise<void> => new Promise(() => undefined);

it('reviews are counted while they wait, with what every request takes, and no longer, however the wait ends', async () => {
  const waiting = room();
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const waits = [first, second].map(({ promise }) => waiting.until(A, () => promise, 68 * KIB));
  expect(waiting.until(B, forever, 68 * KIB)).toBeDefined();
  // 300 of 400 KiB are taken.
  expect(waiting.until(B, forever, 68 * KIB + 1)).toBeUndefined();
  expect(waiting.until(B, forever, 68 * KIB)).toBeDefined();
  expect(waiting.until(B, forever, 0)).toBeUndefined();
  first.resolve(undefined);
  await waits[0];
  expect(waiting.until(A, forever, 68 * KIB)).toBeDefined();
  expect(waiting.until(A, forever, 0)).toBeUndefined();
  second.reject(new Error('no news'));
  await expect(waits[1]).rejects.toThrow('no news');
  expect(waiting.until(A, forever, 68 * KIB)).toBeDefined();
});

it('one review does not take the room of all others', () => {
  expect(room().until(A, forever, 68 * KIB)).toBeDefined();
  expect(room().until(A, forever, 68 * KIB + 1)).toBeUndefined();
});

it('many small ones do not wait without end', () => {
  const waiting = room();
  const small = Array.from({ length: 1000 }, () => waiting.until(A, forever, 100));
  expect(small.filter((wait) => wait !== undefined).length).toBe(6);
});

it('those of one address have half the room, and those of others the other half', () => {
  const waiting = room();
  const invented = Array.from({ length: 10 }, () => waiting.until(A, forever, 68 * KIB));
  expect(invented.filter((wait) => wait !== undefined).length).toBe(2);
  const others = Array.from({ length: 10 }, () => waiting.until(B, forever, 68 * KIB));
  expect(others.filter((wait) => wait !== undefined).length).toBe(2);
});
