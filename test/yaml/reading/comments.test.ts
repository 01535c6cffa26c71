import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { commentsIn } from '../../../src/yaml/reading/comments.ts';

const shown = (text: string): string[] =>
  commentsIn(text).map(({ line, text: words, contentLine, isHead }) =>
    [line, words, contentLine ?? 'end', ...(isHead ? ['head'] : [])].join(' '),
  );

describe('the comments of a YAML text', () => {
  it('know the content below them, and the content in front of them', () =>
    expect(shown('a: 1 # behind\n\n# above\n# two\nb:\n  - c # item\n  # last\n')).toEqual([
      '1 behind 1',
      '3 above 5',
      '4 two 5',
      '6 item 6',
      '7 last end',
    ]));

  it('are at the head of a document before its content, also before its separator', () =>
    expect(shown('# one\n---\n# two\na: 1\n# three\n---\n# four\nb: 1\n')).toEqual([
      '1 one 4 head',
      '3 two 4 head',
      '5 three end',
      '7 four 8 head',
    ]));

  it('are at the head behind directives, and not behind a text that ends like one', () => {
    expect(shown('%YAML 1.1\n# one\n---\na: 1\n')).toEqual(['2 one 4 head']);
    expect(shown('a: 5%\n# one\nb: 1\n')).toEqual(['2 one 3']);
    expect(shown('a: 1\n...\n# one\nb: 1\n')).toEqual(['3 one 4 head']);
  });

  it('know signs as content, too', () => {
    expect(shown('# one\n- # two\n- a\n')).toEqual(['1 one 2 head', '2 two 2']);
    expect(shown('# one\n\uFEFF# two\na: 1\n')).toEqual(['1 one 3 head', '2 two 3 head']);
  });

  it('are none in scalars', () =>
    expect(shown('a: "# no"\nb: \'# no\'\nc: x#no\nd: |\n  # no\ne: >-\n  # no\n  # no\nf: "two\n  # no"\n')).toEqual(
      [],
    ));

  it('stand in flow collections, too', () =>
    expect(shown('a: {b: 1, # behind\n  # above\n  c: [1, # item\n  2]}\n')).toEqual([
      '1 behind 1',
      '2 above 3',
      '3 item 3',
    ]));

  it('have the same lines with CRLF and a byte order mark', () =>
    expect(shown('\uFEFF# head\r\na: 1 # behind\r\n')).toEqual(['1 head 2 head', '2 behind 2']));

  it('are read from every text without an error', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:#\n -|>"\'[]{}&*!%?\t\r,'.split('')) }), (text) => {
        for (const { line, contentLine = line } of commentsIn(text)) expect(contentLine).toBeGreaterThanOrEqual(line);
      }),
    ));
});
