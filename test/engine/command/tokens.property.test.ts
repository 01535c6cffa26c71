import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { readShellScript } from '../../../src/engine/command/tokens.ts';
import { readScript } from '../../../src/engine/command/script.ts';
import { runs } from '../../support/runs.ts';

/** The words and operators of a script, as texts. */
const texts = (script: string): string[] | undefined =>
  readShellScript(script)?.flatMap(({ words, operator }) => [
    ...words.map(({ text }) => text),
    ...(operator === '' ? [] : [operator]),
  ]);

describe('the words of a shell script', () => {
  it.each(cases('shell-tokens', 'words') as [string, string[]][])('of %j are %j', (script, words) =>
    expect(texts(script)).toEqual(words),
  );

  it.each([["'a"], ['"a'], ['$(a'], ['${a'], ['`a'], ['"$(a"'], ["$('a)"]])('are unknown in %j', (script) =>
    expect(readShellScript(script)).toBeUndefined(),
  );

  it('tell which words the shell replaces', () => {
    const literal = (script: string): boolean[] =>
      (readShellScript(script)?.[0]?.words ?? []).map(({ isLiteral }) => isLiteral);
    expect(literal(`a $b "$b" '$b' \\$b "\\$b" $(c) "$" a$ \`d\``)).toEqual([
      ...[true, false, false, true, true, true, false, true, true, false],
    ]);
  });

  it('tell which words are quoted', () => {
    const [command] = readShellScript(`a 'a' "a" \\a b'' ''`) ?? [];
    expect(command?.words.map(({ isQuoted }) => isQuoted)).toEqual([false, true, true, true, true, true]);
  });

  it('have the commands of a substitution in quotes, also of one whose end stands in other quotes', () => {
    expect(readShellScript(`x "$(echo a)"`)?.[0]?.words[1]?.substitutions).toEqual(['echo a']);
    expect(readShellScript(`x "$(echo it's)"`)?.[0]?.words[1]?.substitutions).toEqual(["echo it's)"]);
  });

  /** Texts that are likely to open something and to leave it open. */
  const script = fc
    .array(
      fc.constantFrom(
        ...[
          'a',
          ' ',
          "'",
          '"',
          '`',
          '$',
          '$(',
          '${',
          '(',
          ')',
          '{',
          '}',
          '\\',
          '#',
          '\n',
          '|',
          '||',
          '&',
          ';',
          '<<',
          'X',
        ],
        ...['<', '>', 'if ', 'fi', 'case ', 'esac', '! ', 'exit 1'],
      ),
      { maxLength: 60 },
    )
    .map((pieces) => pieces.join(''));

  it('never make the reader throw, and no word is longer than the script', () =>
    fc.assert(
      fc.property(script, (text) => {
        const words = texts(text) ?? [];
        expect(words.join('').length).toBeLessThanOrEqual(text.length);
        readScript(text);
      }),
      { numRuns: runs(3000) },
    ));

  it('quoted with single quotes, are one word', () =>
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes("'")),
        (text) => {
          expect(texts(`a '${text}' b`)).toEqual(['a', text, 'b']);
        },
      ),
    ));
});

describe('a long shell script', () => {
  const LENGTH = 250_000;

  // Quadratic work on so many characters takes a minute and more, so the limit finds it.
  it.each(cases('shell-tokens', 'repeated pieces') as string[])(
    'of %j is read in linear time',
    (piece) => {
      const text = piece.repeat(Math.floor(LENGTH / piece.length));
      expect(() => readScript(text)).not.toThrow();
      expect(() => readScript(`a "${text}`)).not.toThrow();
    },
    30_000,
  );
});
