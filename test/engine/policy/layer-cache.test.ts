import { expect, it } from 'vitest';
import { remembered } from '../../../src/engine/policy/layer-cache.ts';

it('makes the same of the same layers in the same order once, and forgets when it is full', () => {
  const [one, other] = [{ source: 'p' }, { source: 'p' }];
  const made = remembered(2, (layers: readonly object[]) => ({ layers }));
  const first = made([one, other]);
  expect(made([one, other])).toBe(first);
  expect(made([other, one])).not.toBe(first);
  made([one]);
  expect(made([one, other])).not.toBe(first);
});
