import { expect, it } from 'vitest';
import { WaitingBodies } from '../../src/server/waiting-bodies.ts';

it('bodies are counted while they wait, and no longer, however the wait ends', async () => {
  const waiting = new WaitingBodies(100);
  expect([waiting.hasRoomFor(100), waiting.hasRoomFor(101), waiting.hasRoomFor(Infinity)]).toEqual([
    true,
    false,
    false,
  ]);
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const waits = [waiting.until(first.promise, 60), waiting.until(second.promise, 40)];
  expect([waiting.hasRoomFor(0), waiting.hasRoomFor(1)]).toEqual([true, false]);
  first.resolve(undefined);
  await waits[0];
  expect([waiting.hasRoomFor(60), waiting.hasRoomFor(61)]).toEqual([true, false]);
  second.reject(new Error('no news'));
  await expect(waits[1]).rejects.toThrow('no news');
  expect(waiting.hasRoomFor(100)).toBe(true);
});
