import { describe, expect, it } from 'vitest';
import { matches, mayFailToOpen } from '../../../src/engine/command/builtins.ts';
import { FAILED, OUTPUT } from '../../../src/engine/command/state.ts';

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
