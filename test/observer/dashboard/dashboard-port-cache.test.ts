import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_LIFETIME, cachedPage } from '../../../src/observer/dashboard/dashboard-port.ts';

describe('the cache of the page', () => {
  it('renders at most once in 30 s, however many ask, and whatever comes of it', async () => {
    const asks = fc.array(fc.record({ after: fc.nat({ max: 20_000 }), fails: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(asks, async (steps) => {
        let now = 0;
        let fails = false;
        const begun: number[] = [];
        const page = cachedPage(
          () => {
            begun.push(now);
            return fails ? Promise.reject(new Error('no')) : Promise.resolve(`page of ${now}`);
          },
          () => now,
        );
        for (const { after, fails: next } of steps) {
          now += after;
          fails = next;
          await Promise.allSettled([page(), page(), page()]);
        }
        for (const [index, at] of begun.entries())
          expect(at - (begun[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(PAGE_LIFETIME);
      }),
      {
        examples: [
          [
            [
              { after: 0, fails: true },
              { after: 29_999, fails: false },
              { after: 1, fails: false },
            ],
          ],
        ],
      },
    );
  });

  it('gives all who ask during a rendering the same page', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const page = cachedPage(
      () => promise,
      () => 0,
    );
    const asked = [page(), page()];
    resolve('<p>');
    const [first, second] = await Promise.all(asked);
    expect(first).toBe(second);
    expect(first).toBe('<p>');
  });
});
