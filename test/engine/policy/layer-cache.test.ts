import { expect, it } from 'vitest';
import { LayerCache } from '../../../src/engine/policy/layer-cache.ts';

it('makes the same of the same layers in the same order once, and forgets when it is full', () => {
  const [one, other] = [{ source: 'p' }, { source: 'p' }];
  const cache = new LayerCache(2, (layers: readonly object[]) => ({ layers }));
  const made = cache.of([one, other]);
  expect(cache.of([one, other])).toBe(made);
  expect(cache.of([other, one])).not.toBe(made);
  cache.of([one]);
  expect(cache.of([one, other])).not.toBe(made);
});
