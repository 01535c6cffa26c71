import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askHealth, keepAlive } from './client.ts';
import { mebibytes, readable, report } from './figures.ts';
import { hostileReview } from './hostile-documents.ts';
import { NAMED_REVIEWS } from './named-reviews.ts';
import { Program } from './program.ts';
import { MACHINE_FACTOR, RUNS, SEED } from './settings.ts';
import { slowdownNow } from '../support/slowdown.ts';

const LIMIT_MILLISECONDS = 1000;
const SUSPICIOUS_MILLISECONDS = 500;
/** What the process may hold more after all of it than before. */
const HEAP_MARGIN_BYTES = 12 * 1024 * 1024;

let program: Program;
const agent = keepAlive();

beforeAll(async () => {
  program = await Program.start({ nodeArgs: ['--max-old-space-size=256'], args: ['--log-level', 'error'] });
});
afterAll(async () => {
  agent.destroy();
  await program.stop();
});

/** The better of two tries, and that it is no error of the server's. */
async function attack(path: string, body: string | Buffer): Promise<{ code: number; milliseconds: number }> {
  const timed = async (): Promise<{ code: number; milliseconds: number }> => {
    const began = performance.now();
    const { code, body: answer } = await ask(program.port, { agent, path, body });
    // src/webhook/http/app.ts lets several of the longest wait, and a caller has to read it, too.
    expect(answer.length).toBeLessThan(LONGEST_ANSWER);
    return { code, milliseconds: performance.now() - began };
  };
  // A refusal ends its connection, and an address may open only so many in a second.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const first = await timed();
  const { code } = first;
  let { milliseconds } = first;
  if (milliseconds > SUSPICIOUS_MILLISECONDS) {
    milliseconds = Math.min(milliseconds, (await timed()).milliseconds);
    const limit = LIMIT_MILLISECONDS * Math.max(MACHINE_FACTOR, milliseconds > LIMIT_MILLISECONDS ? slowdownNow() : 1);
    expect(milliseconds).toBeLessThan(limit);
  }
  expect([200, 400, 413]).toContain(code);
  return { code, milliseconds };
}

/** Characters: a denial has the most. */
const LONGEST_ANSWER = 1_000_000;

describe('the program over HTTPS, with 256 MiB of heap', () => {
  it('answers or refuses within a second every review that was made to do harm, and holds no memory afterwards', async () => {
    for (const path of ['/mutate', '/validate']) await attack(path, '{}');
    const before = await program.vitals();
    const codes = new Map<number, number>();
    const slowest = { name: '', milliseconds: 0 };
    for (const [name, text] of Object.entries(NAMED_REVIEWS)) {
      const body = text();
      for (const path of ['/mutate', '/validate']) {
        const { code, milliseconds } = await attack(path, body).catch((error: unknown) => {
          throw new Error(`${name} at ${path}: ${String(error)}`, { cause: error });
        });
        codes.set(code, (codes.get(code) ?? 0) + 1);
        if (milliseconds > slowest.milliseconds) Object.assign(slowest, { name, milliseconds });
      }
    }
    const growth = (await program.vitals()).heapUsed - before.heapUsed;
    expect(growth).toBeLessThan(HEAP_MARGIN_BYTES);
    expect((await askHealth(program.healthPort, '/readyz')).code).toBe(200);
    const counts = [...codes].map(([code, count]) => `${count} with ${code}`).join(', ');
    report(
      'Hostile bodies',
      `${Object.keys(NAMED_REVIEWS).length * 2} named reviews over HTTPS`,
      `${counts}; slowest ${readable(slowest.milliseconds)} (${slowest.name}); heap ${mebibytes(growth)} more`,
    );
  }, 300_000);

  it('answers or refuses random bodies, and holds no memory afterwards', async () => {
    const path = fc.constantFrom('/mutate', '/validate');
    const bytes = fc.uint8Array({ maxLength: 300 }).map((raw) => Buffer.from(raw));
    const body = fc.oneof({ arbitrary: hostileReview, weight: 9 }, { arbitrary: bytes, weight: 1 });
    const property = fc.asyncProperty(path, body, (to, sent) => attack(to, sent).then(() => undefined));
    await fc.assert(property, { numRuns: 200, seed: SEED + 1 });
    const before = await program.vitals();
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    const growth = (await program.vitals()).heapUsed - before.heapUsed;
    expect(growth).toBeLessThan(HEAP_MARGIN_BYTES);
    report(
      'Hostile bodies',
      `${RUNS} random bodies over HTTPS, seed ${SEED}`,
      `no 5xx; heap ${mebibytes(growth)} more`,
    );
  }, 120_000);

  it('answers odd paths, methods, queries and headers with a 4xx or as always, and never with a 5xx', async () => {
    const odd = [
      '/mutate?timeout=' + '9h'.repeat(5000),
      '/mutate?timeout[]=1&timeout=2',
      '/mutate?__proto__=1&timeout=1e9s',
      '/mutate/../livez',
      '//mutate',
      '/%00',
      '/mutate%',
      `/${'x'.repeat(8000)}`,
    ];
    const codes: number[] = [];
    for (const path of odd) codes.push((await ask(program.port, { agent, path })).code);
    for (const type of [
      '',
      'text/plain',
      'application/json; charset=utf-16',
      `application/json;${'x'.repeat(5000)}`,
      'application/json;charset=utf-8',
      '__proto__',
    ])
      codes.push((await ask(program.port, { agent, headers: { 'content-type': type } })).code);
    for (const code of codes) expect(code === 200 || (code >= 400 && code < 500), String(code)).toBe(true);
    report(
      'Hostile bodies',
      'odd paths, queries and content types',
      `${codes.length} requests: ${[...new Set(codes)].sort().join(', ')}`,
    );
  });
});
