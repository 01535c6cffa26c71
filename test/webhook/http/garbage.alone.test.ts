import { expect, it } from 'vitest';
import { ReceivedGarbage } from '../../../src/webhook/http/garbage.ts';

const MIB = 1024 * 1024;

it('chunks are collected while they come, long before V8 would collect them', () => {
  const garbage = new ReceivedGarbage();
  let most = 0;
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 64 * 16; count += 1) {
    const chunk = Buffer.alloc(64 * 1024);
    garbage.addChunk(chunk.length);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(24 * MIB);
});

it('what is old is collected with 6 MiB of texts', async () => {
  const garbage = new ReceivedGarbage();
  const dead = new WeakRef({ text: 'x' });
  // What a weak reference was made of lives until the end of the turn.
  await new Promise((resolve) => void setImmediate(resolve));
  garbage.addText(6 * MIB);
  expect(dead.deref()).toBeUndefined();
});
