import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeLongValues } from '../support/long-value-times.ts';
import { FIELDS } from '../support/long-values.ts';
import { reviewOf } from '../support/worlds.ts';
import { ask, keepAlive, REVIEW } from './client.ts';
import { Program } from './program.ts';

// etcd stores objects of at most 1.5 MiB, with all that surrounds the texts.
describeLongValues(1024 * 1024);

let program: Program;
beforeAll(async () => {
  program = await Program.start();
});
afterAll(() => program.stop());

const reviewOfArgument = (text: string): string => JSON.stringify(reviewOf(FIELDS['an argument']?.(text) ?? {}));

/** Milliseconds until the answer. The least of several counts. */
async function milliseconds(body: string, path: string): Promise<number> {
  const agent = keepAlive();
  let least = Infinity;
  for (let run = 0; run < 5; run++) {
    const before = performance.now();
    const { code } = await ask(program.port, { agent, body, path });
    least = Math.min(least, performance.now() - before);
    expect(code).toBe(200);
  }
  agent.destroy();
  return least;
}

it.each(['/mutate?timeout=10s', '/validate?timeout=10s'])(
  'answers a Pod with an argument of 60,000 dashes about as fast as a short one: %s',
  async (path) => {
    const short = await milliseconds(reviewOfArgument('-'), path);
    const long = await milliseconds(reviewOfArgument('-'.repeat(60_000)), path);
    expect(long).toBeLessThan(20 * Math.max(5, short));
  },
);

it('answers others while four Pods with an argument of 150,000 dashes wait', async () => {
  const path = '/validate?timeout=10s';
  const body = reviewOfArgument('-'.repeat(150_000));
  const alone = await milliseconds(REVIEW, path);
  let isAttacked = true;
  const attack = Array.from({ length: 4 }, async () => {
    const agent = keepAlive();
    while (isAttacked) expect((await ask(program.port, { agent, body, path })).code).toBe(200);
    agent.destroy();
  });
  const agent = keepAlive();
  let longest = 0;
  const end = performance.now() + 3000;
  while (performance.now() < end) {
    const before = performance.now();
    expect((await ask(program.port, { agent, path })).code).toBe(200);
    longest = Math.max(longest, performance.now() - before);
  }
  isAttacked = false;
  await Promise.all(attack);
  agent.destroy();
  // The limit is 500 ms on a fast machine (docs/trust.md).
  expect(longest).toBeLessThan(100 * Math.max(5, alone));
});
