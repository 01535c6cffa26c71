import { describe, expect, it } from 'vitest';
import { alwaysRuns, outcomesOf } from '../../../src/engine/command/meaning.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

const outcomes = (script: string, ...options: readonly string[]): string => {
  const { canSucceed, canFail } = outcomesOf(new ExecCommand(['sh', ...options, '-c', script]));
  return `${canSucceed} ${canFail}`;
};

describe('a script can succeed, and can fail', () => {
  it.each([
    ['a', 'yes yes'],
    ['exit 1', 'no yes'],
    ['a; exit 1', 'no yes'],
    ['a || exit 1', 'yes yes'],
    ['! true', 'no yes'],
    ['false || false', 'no yes'],
    ['if a; then echo down; fi', 'yes no'],
    ['if a; then exit 0; else exit 1; fi', 'yes yes'],
    ['f() { return 1; }; f', 'no yes'],
    ['f() { return 1; }; f || true', 'yes no'],
    ['(exit 1)', 'no yes'],
    ['set -e; false; true', 'no yes'],
    ['set -o pipefail; false | true', 'no yes'],
    ['false | true', 'yes no'],
    ['a | wc -l', 'yes no'],
    ['a | { wc -l; }', 'yes no'],
    ['wc -l | a', 'yes yes'],
    ['set -o pipefail; a | wc -l', 'yes yes'],
    ['set -o pipefail; wc -l | cat', 'yes yes'],
    ['x=$(false)', 'no yes'],
    ['a &', 'yes no'],
    ['case x in y) exit 1;; esac', 'yes no'],
    ['eval "$X"', 'unknown unknown'],
    ["echo 'open", 'unknown unknown'],
    ["sh -c 'exit 1'", 'no yes'],
    [': < /x; true', 'yes unknown'],
  ])('%j: %s', (script, expected) => expect(outcomes(script)).toBe(expected));

  it('with the options of its shell', () => {
    expect(outcomes('false; true', '-e')).toBe('no yes');
    expect(outcomes('false | true', '-o', 'pipefail')).toBe('no yes');
  });
});

describe('a command runs before each success', () => {
  const runs = (script: string): boolean =>
    alwaysRuns(new ExecCommand(['sh', '-c', script]), ([name]) => name === 'ask');
  it.each([
    'ask',
    'a && ask',
    'ask || exit 1',
    'if a; then ask; else ask; fi',
    'x=$(ask)',
    'for i in 1 2; do ask && exit 0; done; exit 1',
    'f() { ask; }; f',
    'trap x EXIT; ask',
    "ask 'open",
    "ask 'open",
  ])('in %j', (script) => expect(runs(script)).toBe(true));
  it.each(['a || ask', 'if a; then ask; fi', 'ask &', 'f() { ask; }; a', 'for i in $x; do ask; done'])(
    'not in %j',
    (script) => expect(runs(script)).toBe(false),
  );
});
