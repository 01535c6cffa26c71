import { describe, expect, it } from 'vitest';
import { Parser, type CST } from 'yaml';
import {
  applyEdits,
  beforeLineBreak,
  contentEnd,
  contentStart,
  hasContent,
  insertLines,
  lineBreakBefore,
  lineEndAfter,
  lineEnding,
  lineIndent,
  lineStartBefore,
  orderedEdits,
  startsLine,
  tokenEnd,
  type PairTokens,
} from '../../../src/yaml/editing/text-edits.ts';

describe('edits of a text', () => {
  const insert = (at: number, text: string, depth = 0): Parameters<typeof applyEdits>[1][number] => ({
    start: at,
    end: at,
    text,
    depth,
  });

  it('are applied in the order of the text, the deeper one first, and else in their own order', () => {
    const edits = [
      insert(1, 'x'),
      insert(1, 'y', 2),
      insert(0, '<'),
      insert(1, 'z'),
      { start: 2, end: 4, text: '-', depth: 0 },
    ];
    expect(applyEdits('abcde', edits)).toBe('<ayxzb-e');
    expect(orderedEdits(edits).map(({ text }) => text)).toEqual(['<', 'y', 'x', 'z', '-']);
    expect(applyEdits('abc', [])).toBe('abc');
  });
});

describe('a place in a text', () => {
  const text = 'one\r\n  two\nend';

  it('has the start and the end of its line', () => {
    expect([0, 2, 5, 7, 12].map((at) => lineStartBefore(text, at))).toEqual([0, 0, 5, 5, 11]);
    expect(lineStartBefore('\n', 0)).toBe(0);
    expect([0, 5, 6, 11, 12].map((at) => lineEndAfter(text, at))).toEqual([5, 5, 11, 11, 14]);
    expect([5, 11, 14, 0].map((at) => beforeLineBreak(text, at))).toEqual([3, 10, 14, 0]);
  });

  it('has the white space of its line, and may be the first on it', () => {
    expect([2, 8, 12].map((at) => lineIndent(text, at))).toEqual(['', '  ', '']);
    expect([lineIndent('\uFEFF\t a', 3), lineIndent('  a', 1)]).toEqual(['\t ', ' ']);
    expect([0, 1, 5, 7, 8].map((at) => startsLine(text, at))).toEqual([true, false, true, true, false]);
    expect([startsLine('\uFEFF a', 2), startsLine('a\uFEFF b', 3), startsLine('\t a', 2)]).toEqual([true, false, true]);
  });

  it('has the line break above it', () => {
    expect([0, 3, 5, 11, 14].map((at) => lineBreakBefore(text, at))).toEqual([
      undefined,
      undefined,
      '\r\n',
      '\n',
      '\n',
    ]);
    expect([lineBreakBefore('\na', 0), lineBreakBefore('\na', 1)]).toEqual([undefined, '\n']);
    expect(['a\r\nb\n', 'a\nb\r\n', 'a'].map(lineEnding)).toEqual(['\r\n', '\n', '\n']);
  });

  it('gets whole lines, before or behind a line without a break', () => {
    expect(insertLines('a\r\nb', 3, ['x', 'y'], '\n', 1)).toEqual({ start: 3, end: 3, depth: 1, text: 'x\r\ny\r\n' });
    expect(insertLines('a\r\nb', 4, ['x', 'y'], '\n', 0).text).toBe('\r\nx\r\ny');
    expect(insertLines('', 0, ['x'], '\r\n', 0).text).toBe('x\r\n');
  });
});

describe('an item of a collection', () => {
  /** The items of the outermost collection of a text. */
  function itemsOf(text: string): readonly PairTokens[] {
    const document = [...new Parser().parse(text)].find((token): token is CST.Document => token.type === 'document');
    return (document?.value as CST.BlockMap | undefined)?.items ?? [];
  }
  const contents = (text: string): (string | undefined)[] =>
    itemsOf(text).map((item) => {
      const [start, end] = [contentStart(item), contentEnd(item)];
      return start === undefined || end === undefined ? undefined : text.slice(start, end);
    });

  it.each([
    ['a: 1 # one\n# two\nb:\n  - 2 # three\n', ['a: 1', 'b:\n  - 2']],
    ['- x\n-   # nothing\n- y: { z: [1 ] } \n', ['- x', '-', '- y: { z: [1 ] }']],
    ['{ a: 1 , b , c: }', ['a: 1', 'b', 'c:']],
    ['a: |\n  text\nb: 2\n', ['a: |\n  text\n', 'b: 2']],
    ['a: "x"   \n', ['a: "x"']],
    ['[1, 2, # last\n]', ['1', '2', undefined]],
  ])('of %j has the content %j', (text, expected) => expect(contents(text)).toEqual(expected));

  it('may be without content at the end of a collection', () => {
    expect(itemsOf('[1, # last\n]').map(hasContent)).toEqual([true, false]);
    expect(itemsOf('- \n- 1\n').map(hasContent)).toEqual([true, true]);
  });

  it('without an end of its collection ends behind its start', () =>
    expect(tokenEnd({ type: 'flow-collection', offset: 3, indent: 0, start: {} as never, items: [], end: [] })).toBe(
      4,
    ));
});
