import { describe, expect, it } from 'vitest';
import { jumpOf, matches, mayFailToOpen, outOfLoop, withOptions } from '../../../src/engine/command/builtins.ts';
import { FAILED, OUTPUT, type Flow, type State } from '../../../src/engine/command/state.ts';
import { START } from './start-state.ts';

const word = (text: string, isQuoted = false) => ({ text, isQuoted, isLiteral: !text.includes('$') });

describe('a pattern of case', () => {
  it.each([
    ['*', undefined, true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a*', 'abc', true],
    ['?b', 'ab', true],
    ['a.c', 'abc', false],
    ['[ab]', 'a', undefined],
    ['$x', 'a', undefined],
    ['a', undefined, undefined],
    ['a', OUTPUT, undefined],
    ['0', FAILED, false],
    ['1', FAILED, undefined],
  ] as const)('%s matches %s: %s', (pattern, value, result) => expect(matches(word(pattern), value)).toBe(result));

  it('in quotes means itself', () => {
    expect(matches(word('*', true), 'a')).toBeUndefined();
    expect(matches(word('a b', true), 'a b')).toBe(true);
  });
});

describe('a redirection', () => {
  const of = (sign: string, text: string): boolean => mayFailToOpen({ sign, target: word(text) });
  it('may not open a file or a connection', () => {
    for (const [sign, text] of [
      ['<', '/x'],
      ['<>', '/x'],
      ['>', '/x'],
      ['>>', '/x'],
      ['>', '/dev/tcp/localhost/80'],
      ['>', '$F'],
    ] as const)
      expect(of(sign, text), sign + text).toBe(true);
    for (const [sign, text] of [
      ['<', '/dev/null'],
      ['>', '/dev/null'],
      ['>', '/dev/stderr'],
      ['>&', '2'],
      ['>', '/proc/1/fd/1'],
      ['<', '<(a)'],
      ['<<', 'E'],
    ] as const)
      expect(of(sign, text), sign + text).toBe(false);
  });
});

/** A command has failed before. */
const BEFORE: State = { ...START, status: FAILED };

describe('set', () => {
  /** The options that are on behind the words, as letters; `o` is pipefail. */
  const optionsOf = (words: string, before: Partial<State> = {}): string | undefined => {
    const [state] =
      withOptions(
        words.split(' ').map((text) => word(text)),
        { ...BEFORE, ...before },
      ) ?? [];
    if (state === undefined) return undefined;
    const { isErrexit, isNounset, isPipefail, status } = state;
    return `${isErrexit ? 'e' : ''}${isNounset ? 'u' : ''}${isPipefail ? 'o' : ''}${String(status)}`;
  };

  it.each([
    ['-e', 'e0'],
    ['-eu', 'eu0'],
    ['-euo pipefail', 'euo0'],
    ['-o errexit -o nounset', 'eu0'],
    ['-x -e', 'e0'],
    ['-- -e', '0'],
    ['a -e', '0'],
    ['-o', '0'],
    ['-o noglob -u', 'u0'],
  ])('%s turns options on: %s', (words, options) => expect(optionsOf(words)).toBe(options));

  it.each([
    ['+e', 'uo0'],
    ['+u +o pipefail', 'e0'],
    ['+o errexit +o nounset', 'o0'],
  ])('%s turns options off: %s', (words, options) =>
    expect(optionsOf(words, { isErrexit: true, isNounset: true, isPipefail: true })).toBe(options),
  );

  it.each(['-n', '-t', '-e$X', '$X'])('%s leaves unknown what runs', (words) =>
    expect(optionsOf(words)).toBe(words === '$X' ? '0' : undefined),
  );
});

describe('a jump', () => {
  const jump = (name: string, operand: string | undefined, more: { loops?: number; isInLoop?: boolean } = {}) => {
    const around = { isTested: false, isFed: false, loops: 0, isInLoop: false, isInFunction: false, ...more };
    const [end] = jumpOf(name, operand === undefined ? undefined : word(operand), BEFORE, around) ?? [];
    return end && `${end.flow} ${String(end.status)}`;
  };

  it.each([
    ['exit', undefined, 'exit Symbol(failed)'],
    ['exit', '0', 'exit 0'],
    ['exit', '3', 'exit 3'],
    ['exit', '256', 'exit 0'],
    ['exit', 'x', 'exit Symbol(failed)'],
    ['return', '1', 'exit 1'],
  ])('%s %s: %s', (name, operand, end) => expect(jump(name, operand)).toBe(end));

  it.each([
    [undefined, 'break 1 0'],
    ['1', 'break 1 0'],
    ['2', 'break 2 0'],
    ['9', 'break 2 0'],
    ['99', 'break 2 0'],
    ['0', undefined],
    ['100', undefined],
    ['x', undefined],
    ['$X', undefined],
  ])('break %s in two loops: %s', (operand, end) => expect(jump('break', operand, { loops: 2 })).toBe(end));

  it('continue goes on with a loop; outside of loops nothing happens, and where shells disagree nobody knows', () => {
    expect(jump('continue', '2', { loops: 2 })).toBe('continue 2 0');
    expect(jump('break', undefined)).toBe('next 0');
    expect(jump('break', undefined, { isInLoop: true })).toBeUndefined();
  });

  it.each<[Flow, Flow]>([
    ['break 2', 'break 1'],
    ['break 1', 'break 0'],
    ['continue 1', 'next'],
    ['continue 2', 'continue 1'],
    ['exit', 'exit'],
    ['next', 'next'],
  ])('%s is %s outside of one loop', (inside, outside) =>
    expect(outOfLoop({ ...BEFORE, flow: inside }).flow).toBe(outside),
  );
});
