import { describe, expect, it } from 'vitest';
import { closureOf, textSize } from '../../scripts/size/measure.ts';

describe('the size of a text', () => {
  it('counts a line as code where a token stands, and no comment and no blank line', () => {
    const text = [
      '/** What it is. */',
      'export const a = 1; // beside code',
      '',
      '/*',
      ' * More.',
      ' */',
      'const b = `two',
      '',
      'lines`;',
      '// the end',
    ];
    expect(textSize(`${text.join('\n')}\n`)).toEqual({ lines: 10, code: 4 });
  });

  it('is zero for nothing', () => {
    expect(textSize('')).toEqual({ lines: 0, code: 0 });
  });
});

describe('what a file imports, directly or not', () => {
  it('has each file once', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', []],
      ['d', ['a']],
    ]);
    expect([...closureOf('a', graph)].sort()).toEqual(['a', 'b', 'c']);
  });
});
