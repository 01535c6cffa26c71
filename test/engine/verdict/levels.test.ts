import { expect, it } from 'vitest';
import { isShownAt, LEVELS, LEVELS_OF } from '../../../src/engine/verdict/levels.ts';

it.each([
  ['error', ['error']],
  ['warning', ['error', 'warning']],
  ['note', ['error', 'warning', 'note']],
] as const)('with the lowest level %s, these are shown: %j', (minimum, shown) => {
  expect(LEVELS.filter((level) => isShownAt(level, minimum))).toEqual(shown);
});

it('a violation that denies is an error, and what an exception allows is a note', () => {
  const levels = Object.entries(LEVELS_OF).map(([action, { level }]) => [action, level]);
  expect(Object.fromEntries(levels)).toEqual({ Deny: 'error', Warn: 'warning', Audit: 'note', Excepted: 'note' });
});
