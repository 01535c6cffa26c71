import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginning, cut, cutAtWord, quote } from '../../../src/base/text/cut.ts';
import { wrap } from '../../../src/base/text/wrap.ts';
import { runs } from '../../support/runs.ts';

const wellFormed = fc.string({ unit: 'binary', maxLength: 60 });

describe('a text that is cut', () => {
  it('has at most so many characters, dots included, and no half of a surrogate pair', () => {
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 3, max: 40 }), (text, most) => {
        const shown = cut(text, most);
        expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown.isWellFormed()).toBe(true);
        expect(shown).toBe(text.length <= most ? text : `${beginning(text, most - 3)}...`);
        expect(text.startsWith(beginning(text, most))).toBe(true);
      }),
    );
    expect(cut('ab😀cde', 6)).toBe('ab...');
    expect(cut('abcdef', 6)).toBe('abcdef');
  });

  it('ends before a word where it is a sentence, and inside of a word that alone is too long', () => {
    expect(cutAtWord('write port: 8080', 16)).toBe('write port: 8080');
    expect(cutAtWord('write port: 8080', 15)).toBe('write port:…');
    expect(cutAtWord('write port: 8080', 12)).toBe('write port:…');
    expect(cutAtWord('rewrite port: 8080', 12)).toBe('rewrite…');
    expect(cutAtWord('abcd efghij', 8)).toBe('abcd…');
    expect(cutAtWord('abc defghij', 8)).toBe('abc def…');
    expect(cutAtWord(`a ${'b'.repeat(20)}`, 10)).toBe('a bbbbbbb…');
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 3, max: 40 }), (text, most) => {
        const shown = cutAtWord(text, most);
        expect(shown.length).toBeLessThanOrEqual(Math.max(most, 1));
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });

  it('is wrapped into lines that lose nothing and halve nothing', () =>
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 2, max: 20 }), (text, width) => {
        const lines = wrap(text, width);
        expect(lines.every((line) => line.length <= width && line.isWellFormed())).toBe(true);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }),
    ));
});

describe('a quoted text', () =>
  it('is JSON while it is whole, and ends in dots inside its quotes when it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const quoted = quote(text);
        expect(quoted.length).toBeLessThanOrEqual(80);
        const value = JSON.parse(quoted) as string;
        if (value !== text) expect([value.endsWith('...'), text.startsWith(value.slice(0, -3))]).toEqual([true, true]);
      }),
      { numRuns: runs(1000) },
    );
    expect(quote('\u202e'.repeat(100))).toMatch(/^"(\\u202e)+\.\.\."$/);
  }));
