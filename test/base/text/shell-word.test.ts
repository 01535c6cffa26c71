import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellPath, shellQuoted, shellWord } from '../../../src/base/text/shell-word.ts';

const TEXTS = [
  'web',
  'a b',
  '',
  "it's",
  '$HOME',
  '`id`',
  'a;b',
  '"',
  '\\',
  '*',
  'line\nbreak',
  'a@b:c,d/e.f-g=h%i+j',
  '-n',
];

describe('a word for a shell', () => {
  it.each(TEXTS)('is read by sh as the text %j, with quotes and without', (text) => {
    for (const word of [shellQuoted(text), shellWord(text)])
      expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
  });

  it('has quotes only where a shell needs them', () => {
    expect(TEXTS.filter((text) => shellWord(text) === text)).toEqual(['web', 'a@b:c,d/e.f-g=h%i+j', '-n']);
  });
});

describe('a path in a command line that a person copies', () => {
  it.each([
    ['apps/web-1.2_a', 'apps/web-1.2_a'],
    ['a@b%c+d=e:f,g', 'a@b%c+d=e:f,g'],
    ['my apps', "'my apps'"],
    ['$(x)', "'$(x)'"],
    ["it's", String.raw`'it'\''s'`],
    ['-x', './-x'],
    ['-x; y', "'./-x; y'"],
    ['', "''"],
  ])('is one word of a shell, and no flag: %j', (path, word) => expect(shellPath(path)).toBe(word));
});
