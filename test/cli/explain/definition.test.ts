import { expect, it } from 'vitest';
import { EXPLAIN } from '../../../src/cli/explain/definition.ts';

type Values = Parameters<NonNullable<typeof EXPLAIN.conflicts>>[0];

const conflictsOf = (flags: Partial<Values>): readonly unknown[] =>
  EXPLAIN.conflicts?.({ ...({ output: 'text', details: false, fields: false } as unknown as Values), ...flags }) ?? [];

it.each<Partial<Values>>([
  {},
  { details: true },
  { fields: true },
  { output: 'json' },
  { output: 'json', fields: true },
  { output: 'svg' },
  { output: 'svg', 'output-dir': 'out' },
])('these flags are no conflict: %j', (flags) => {
  expect(conflictsOf(flags)).toEqual([]);
});

const DIRECTORY = '--output-dir: pictures need --output svg';
const FIELDS = '--fields: pictures show no fields; write --output text or json';

it.each<[Partial<Values>, string[]]>([
  [{ details: true, fields: true }, ['--details: --fields prints no times; leave one out']],
  [{ details: true, output: 'json' }, ['--details: --output json has all details; leave one out']],
  [{ details: true, output: 'svg' }, ['--details: --output svg has all details; leave one out']],
  [{ wait: 1000, details: true }, ['--wait: prints the verdict alone']],
  [{ wait: 1000, output: 'json' }, ['--wait: prints the verdict alone']],
  [{ 'output-dir': 'out' }, [DIRECTORY]],
  [{ 'output-dir': '', output: 'json' }, [DIRECTORY]],
  [{ output: 'svg', fields: true }, [FIELDS]],
  [{ output: 'svg', fields: true, details: true }, ['--details: --fields prints no times; leave one out', FIELDS]],
])('these flags are a conflict: %j', (flags, problems) => {
  expect(conflictsOf(flags)).toEqual(problems);
});

it('flags have these defaults', () => {
  const { output, details, fields, 'output-dir': directory } = EXPLAIN.flags;
  expect([output.read([]), details.read([]), fields.read([]), directory.read([])]).toEqual([
    'text',
    false,
    false,
    undefined,
  ]);
  expect([EXPLAIN.name, Object.keys(EXPLAIN.exitCodes)]).toEqual(['explain', ['0', '1', '2']]);
});
