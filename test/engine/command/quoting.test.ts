import { describe, expect, it } from 'vitest';
import {
  endOfQuoting,
  isShellOperator,
  shellLine,
  substitutionsIn,
  variableIn,
} from '../../../src/engine/command/quoting.ts';

describe('a quoted text', () =>
  // The text begins behind the opening sign.
  it.each([
    ['a"b', '"', 2],
    ['a', '"', undefined],
    ['', '"', undefined],
    [String.raw`a\"b"c`, '"', 5],
    ['a $(b ")" c) d"e', '"', 15],
    [`a 'b" c`, '"', 5],
    ["a ')' b) c", ')', 8],
    ["a ' b)", ')', undefined],
    ["it's)", '"', undefined],
    ['a (b) c) d', ')', 8],
    ['a } b} c', '}', 3],
    ['a (b} c', '}', 5],
    ['a ${b} c}', '}', 9],
    ["a # it's\n) b", ')', 10],
    ['a# b) c', ')', 5],
    ['a # b)', ')', undefined],
    ['a $(b` c', '`', 6],
    [`$(echo "'")x)`, ')', 13],
  ])('%j that ends in %s ends at %s', (text, closer, end) => expect(endOfQuoting(text, 0, closer)).toBe(end)));

describe('the commands in a text', () =>
  it.each([
    ['a $(b c) d `e` f', ['b c', 'e']],
    ['$(a $(b) c)', ['a $(b) c']],
    [String.raw`\$(a) \`b`, []],
    ['`a \\`b\\` \\\\c`', ['a `b` \\c']],
    ['$((1 + 2))', ['(1 + 2)']],
    ['$(a', ['a']],
    ['$a ${b} (c)', []],
    ['', []],
  ])('%j are %j', (text, commands) => expect(substitutionsIn(text)).toEqual(commands)));

describe('an element of a command', () => {
  it('is an operator of the shell, and no other program takes it', () => {
    const operators = ['|', '||', '&', '&&', ';', '>', '>>', '2>', '2>&1', '>&2', '<', '>/dev/null', '2>/dev/null'];
    expect(operators.filter((word) => !isShellOperator(word))).toEqual([]);
    expect(['', 'a|b', '|||', '<<', '>/dev/nul', '22>', ';;'].filter(isShellOperator)).toEqual([]);
  });

  it.each([
    ['$HOME', 'HOME'],
    ['${HOME}', 'HOME'],
    ['$_a1', '_a1'],
    ['$1', undefined],
    ['${1a}', undefined],
    ['a$HOME', undefined],
    ['${HOME', undefined],
    ['$HOME/x', undefined],
  ])('%s names the variable %s', (word, name) => expect(variableIn(word)).toBe(name));
});

describe('a command as a line', () =>
  it.each([
    [['curl', '-f', 'http://a/b?c=d'], 'curl -f http://a/b?c=d'],
    [['echo', 'a b', '|', 'grep', 'a'], "echo 'a b' | grep a"],
    [['redis-cli ping', '|', 'grep PONG'], 'redis-cli ping | grep PONG'],
    [['a b', ';', 'c d', '&&', 'e f', '2>&1', 'g h'], "a b ; c d && e f 2>&1 'g h'"],
    [['echo', '$HOME', '${A}', '$A/b'], `echo "$HOME" "\${A}" '$A/b'`],
    [['echo', "it's", ''], `echo 'it'\\''s' ''`],
  ])('%j is %s', (words, line) => expect(shellLine(words)).toBe(line)));
