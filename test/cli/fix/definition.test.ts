import { expect, it } from 'vitest';
import { FIX } from '../../../src/cli/fix/definition.ts';

type Values = Parameters<NonNullable<typeof FIX.conflicts>>[0];

const conflictsOf = (flags: Partial<Values>): readonly unknown[] =>
  FIX.conflicts?.({
    ...({ only: [], skip: [], diff: false, write: false, output: 'yaml' } as unknown as Values),
    ...flags,
  }) ?? [];

it.each([{}, { diff: true }, { write: true }, { 'output-dir': 'out' }, { output: 'json' as const }])(
  'one way to put out the result is no conflict: %j',
  (flags) => {
    expect(conflictsOf(flags)).toEqual([]);
  },
);

it('two ways to put out the result are one problem, which names both', () => {
  const problem = (names: string) => [`${names}: only one of these flags can be given`];
  expect(conflictsOf({ diff: true, write: true })).toEqual(problem('--diff, --write'));
  expect(conflictsOf({ 'output-dir': 'out', output: 'json' })).toEqual(problem('--output-dir, --output json'));
});

it('all ways at once are still one problem', () => {
  expect(conflictsOf({ diff: true, write: true, 'output-dir': 'out', output: 'json' })).toEqual([
    '--diff, --write, --output-dir, --output json: only one of these flags can be given',
  ]);
});
