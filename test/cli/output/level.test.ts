import { expect, it } from 'vitest';
import { isShownAt, LEVEL_OF_ACTION, LEVELS } from '../../../src/cli/output/level.ts';

it.each([
  ['error', ['error']],
  ['warning', ['error', 'warning']],
  ['note', ['error', 'warning', 'note']],
] as const)('with the lowest level %s, these are shown: %j', (minimum, shown) => {
  expect(LEVELS.filter((level) => isShownAt(level, minimum))).toEqual(shown);
});

it('a violation that denies is an error, and what an exception allows is a note', () => {
  expect(LEVEL_OF_ACTION).toEqual({ Deny: 'error', Warn: 'warning', Audit: 'note', Excepted: 'note' });
});
