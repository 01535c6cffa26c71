import { describe, expect, it } from 'vitest';
import { commandsOf, commandsOfScript, type WrittenCommand } from '../../../src/engine/command/commands.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

const shown = ({ words, redirections, isFed, isBackground }: WrittenCommand): string =>
  [
    words.join(' '),
    ...redirections.map(({ sign, target }) => `${sign} ${target?.text ?? ''}`),
    ...(isFed ? ['fed'] : []),
    ...(isBackground ? ['behind'] : []),
  ].join(' ');
const found = (text: string): string[] => commandsOfScript(text).commands.map(shown);

describe('the commands of a script', () => {
  it.each([
    ['a; b\nc', ['a', 'b', 'c']],
    ['a && b || ! c', ['a', 'b', 'c']],
    ['a | b | c', ['a', 'b fed', 'c fed']],
    ['a & b', ['a behind', 'b']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while a; do b; done; until c; do d; done', ['a', 'b', 'c', 'd']],
    ['for x in $(a) b; do c; done', ['a', 'c']],
    ['case $(a) in x) b;; *) c;; esac', ['a', 'b', 'c']],
    ['f() { a; }; f', ['a', 'f']],
    ['{ a; } > x; ( b ) < y', [' > x', 'a', ' < y', 'b']],
    ['x=$(a) b "`c`"', ['b `c`', 'a', 'c']],
    ['x=1', []],
    ['a > "$(b)"', ['a > $(b)', 'b']],
    ['a <<E\n$(b)\nE', ['a << E', 'b']],
    ['echo $(( $(a) + 1 ))', ['echo $(( $(a) + 1 ))', 'a']],
    ["sh -c 'a; b' > x", [' > x', 'a', 'b']],
    ["timeout 5 bash -c 'a'", ['a']],
  ])('%j', (text, commands) => expect(found(text)).toEqual(commands));

  it('have the names of its functions, and tell what cannot be read', () => {
    expect([...commandsOfScript('f() { a; }; g() { b; }').functions]).toEqual(['f', 'g']);
    expect(commandsOfScript('a').isUnread).toBe(false);
    expect(commandsOfScript("echo 'open").isUnread).toBe(true);
    expect(commandsOfScript("sh -c 'if'; a").isUnread).toBe(true);
  });

  it('are those of a command line, too', () => {
    expect(commandsOf(new ExecCommand(['curl', 'x'])).commands.map(shown)).toEqual(['curl x']);
    expect(commandsOf(new ExecCommand(['env', 'A=1', 'sh', '-c', 'a | b'])).commands.map(shown)).toEqual([
      'a',
      'b fed',
    ]);
    expect(commandsOf(new ExecCommand(['sh', '/check.sh'])).commands.map(shown)).toEqual(['sh /check.sh']);
  });
});
