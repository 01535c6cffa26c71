import { describe, expect, it } from 'vitest';
import { yamlStreamParts, type ReadingOptions, type StreamPart } from '../../../src/yaml/reading/trees.ts';
import { ReadingBudget } from '../../../src/yaml/reading/tokens.ts';

const partsOf = (text: string, options?: ReadingOptions): StreamPart[] => [...yamlStreamParts(text, options)];

/** The pieces of a text. Together they are the text. */
function piecesOf(text: string): string[] {
  const chunks = partsOf(text).map(({ chunk }) => chunk);
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(text);
  for (const { start, text: piece } of chunks) expect(text.slice(start, start + piece.length)).toBe(piece);
  return chunks.map((chunk) => chunk.text);
}
const valuesOf = (text: string, options?: ReadingOptions): unknown[] =>
  partsOf(text, options).map(({ value }) => value);
const faultsOf = (text: string, options?: ReadingOptions): unknown[] =>
  partsOf(text, options).flatMap(({ faults }) => faults);

describe('a text is split', () => {
  it.each([
    ['a: 1\n---\nb: 2\n', ['a: 1\n', '---\nb: 2\n']],
    ['---\na: 1\n---\nb: 2\n', ['---\na: 1\n', '---\nb: 2\n']],
    ['# c\n%YAML 1.1\n\n---\na: 1\n', ['# c\n%YAML 1.1\n\n---\na: 1\n']],
    ['\uFEFF# c\n---\na: 1\n', ['\uFEFF# c\n---\na: 1\n']],
    ['a: 1\n\uFEFF---\nb: 2\n', ['a: 1\n', '\uFEFF---\nb: 2\n']],
    ['# c\n\nx: 1\n---\na: 1\n', ['# c\n\nx: 1\n', '---\na: 1\n']],
    ['a: 1\n...\nb: 2\n', ['a: 1\n...\n', 'b: 2\n']],
    ['a: 1\n... # c\nb: 2\n', ['a: 1\n... # c\n', 'b: 2\n']],
    ['a: 1\n...', ['a: 1\n...']],
    ['a: 1\n...\n# c\n---\nb: 1\n', ['a: 1\n...\n', '# c\n---\nb: 1\n']],
    ['a: 1\n--- # c\nb: 2\n', ['a: 1\n', '--- # c\nb: 2\n']],
    ['a: 1\n---\tx\n', ['a: 1\n', '---\tx\n']],
    ['a: 1\r\n---\r\nb: 2\r\n', ['a: 1\r\n', '---\r\nb: 2\r\n']],
    ['a: 1\n---', ['a: 1\n', '---']],
    ['a: 1\n----\n', ['a: 1\n----\n']],
    ['a: 1\n ---\n', ['a: 1\n ---\n']],
    ['a: "x\n---\ny"\n', ['a: "x\n', '---\ny"\n']],
    ['a: x\u2028---\n', ['a: x\u2028---\n']],
    ['', []],
    ['# c\n', ['# c\n']],
  ])('at the markers of %j into %j', (text, pieces) => expect(piecesOf(text)).toEqual(pieces));
});

describe('a document', () => {
  it('has its place among all documents, also the faulty ones, and a chunk without one is empty', () => {
    const parts = partsOf('# c\n...\na: 1\n---\n[\n---\n# d\n---\nb: 2\n');
    expect(parts.map(({ index, value, faults, tree }) => [index, value, faults.length, tree !== undefined])).toEqual([
      [0, undefined, 0, false],
      [0, { a: 1 }, 0, true],
      [1, undefined, 1, false],
      [2, undefined, 0, false],
      [2, { b: 2 }, 0, true],
    ]);
  });

  it.each(['---\n', '# c\n', '\n', '--- # c\n', '%YAML 1.1\n---\n'])('is none in %j', (text) =>
    expect(partsOf(text)).toMatchObject([{ tree: undefined, value: undefined, faults: [] }]),
  );

  it.each([
    ['""\n', ''],
    ['~\n', null],
    ['--- !!str\n', ''],
    ['--- &x\n', null],
  ])('is there in %j', (text, value) => {
    const [part] = partsOf(text);
    expect([part?.tree !== undefined, part?.value]).toEqual([true, value]);
  });

  it('keeps its source tokens on demand', () => {
    const tokens = (options?: ReadingOptions): unknown => partsOf('a: 1\n', options)[0]?.tree?.root.srcToken;
    expect(tokens()).toBeUndefined();
    expect(tokens({ keepSourceTokens: true })).toMatchObject({ type: 'block-map' });
  });

  it('that is not to be parsed has its outline as value, and counts', () => {
    const calls: number[] = [];
    const isUnread = (outline: object): boolean => JSON.stringify(outline).includes('Secret');
    const parts = partsOf('kind: Secret\ndata: 1\n---\nkind: Pod\n---\nkind: [Secret\n', {
      isUnread,
      onProgress: () => calls.push(1),
    });
    expect(parts.map(({ index, tree }) => [index, tree !== undefined])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ]);
    expect(parts[0]).toMatchObject({ faults: [], value: { kind: 'Secret' } });
    expect(parts[1]?.value).toEqual({ kind: 'Pod' });
    expect(calls).toHaveLength(3);
  });
});

describe('a fault', () => {
  it.each([
    ['a: [1\n', 6],
    ['a: b: c\n', 3],
    ['a: *x\n', 3],
    ['a: 1\nb: *x\nc: *y\n', 8],
    ['"a" "b"\n', 4],
    ['a: 1\n b: 2\n', 3],
  ])('of %j is one, the first, at %i', (text, offset) => expect(faultsOf(text)).toMatchObject([{ offset }]));

  it('names the anchor that nobody knows', () =>
    expect(faultsOf('a: *x\nb: &x 1\n')).toEqual([{ offset: 3, message: 'unknown anchor "x"' }]));

  it('asks if a template was not rendered', () => {
    const messages = (text: string): string => JSON.stringify(faultsOf(text));
    expect(messages('a: {{ .Values.x }}: [\n')).toContain('(is this a template that was not rendered?)');
    expect(messages('a: { .Values.x }}: [\n')).not.toContain('template');
  });

  it('of one document does not affect the next', () =>
    expect(valuesOf('a: [\n---\nb: 1\n')).toEqual([undefined, { b: 1 }]));

  it('is none for lines that only YAML wants indented, as kubectl reads them', () => {
    expect(valuesOf('a: {\n"b": 1\n}\n')).toEqual([{ a: { b: 1 } }]);
    expect(valuesOf('a:\n  b: "x\ny"\n')).toEqual([{ a: { b: 'x y' } }]);
    expect(faultsOf('a: {\n"b": 1\n}\n')).toEqual([]);
  });

  it('is there for a second document without a marker', () =>
    expect(faultsOf('{a: 1}\n{b: 2}\n')).toMatchObject([{ offset: 7 }]));

  it('of a document that is too large is told once, in whichever way it is read', () => {
    const budget = new ReadingBudget({ document: 5, all: 100 });
    const parts = partsOf('a: [1, 2, 3, 4\n---\nb: 1\n', { budget });
    expect(parts[0]?.faults).toEqual([
      {
        offset: expect.any(Number) as number,
        message: 'this document has more than 5 tokens; split it with "---" lines',
      },
    ]);
    expect(parts).toHaveLength(2);
  });

  it('counts each document anew, and both ways of reading as one document', () => {
    const read = (document: number) =>
      faultsOf('a: {\n"b": 1\n}\n', { budget: new ReadingBudget({ document, all: 1000 }) });
    const least = Array.from({ length: 100 }, (_, index) => index).find((document) => read(document).length === 0);
    const strict = Array.from({ length: 100 }, (_, index) => index).find(
      (document) =>
        faultsOf('a: {\n  "b": 1\n  }\n', { budget: new ReadingBudget({ document, all: 1000 }) }).length === 0,
    );
    expect(least).toBeGreaterThan((strict ?? 0) + 5);
    expect(faultsOf('a: 1\n---\nb: 2\n---\nc: 3\n', { budget: new ReadingBudget({ document: 10, all: 100 }) })).toEqual(
      [],
    );
  });
});

describe('an alias', () => {
  it('is the last node before it with its anchor', () =>
    expect(valuesOf('a: &x 1\nb: *x\nc: &x 2\nd: *x\n')).toEqual([{ a: 1, b: 1, c: 2, d: 2 }]));
});

describe('JSON objects without separators', () => {
  it.each([
    ['{"a": 1}{"b": 2}', ['{"a": 1}', '{"b": 2}']],
    ['{"a": 1}\n{"b": 2}\n', ['{"a": 1}\n', '{"b": 2}\n']],
    ['\n  {"a": {"c": "}{"}}\n\n{"b": "\\"{"}', ['\n  {"a": {"c": "}{"}}\n\n', '{"b": "\\"{"}']],
    ['{"a": [{"x": 1}]}{}{"b": 2}', ['{"a": [{"x": 1}]}', '{}', '{"b": 2}']],
  ])('are a document each: %j', (text, pieces) => {
    expect(piecesOf(text)).toEqual(pieces);
    expect(valuesOf(text)).toEqual(pieces.map((piece) => JSON.parse(piece) as unknown));
    expect(partsOf(text).map(({ index, chunk }) => [index, chunk.start])).toEqual(
      pieces.map((_, index) => [index, pieces.slice(0, index).join('').length]),
    );
  });

  it.each(['{"a": 1}{b: 2}', '{"a": 1} x {"b": 2}', 'x {"a": 1}{"b": 2}', '{"a": 1', '{"a": 1}{"b": '])(
    'are one faulty document where one of them is no JSON: %j',
    (text) => {
      expect(piecesOf(text)).toEqual([text]);
      expect(faultsOf(text)).toHaveLength(1);
    },
  );

  it('have their places in the whole text', () =>
    expect(partsOf('a: 1\n...\n{"a": 1}{"b": 2}').map(({ chunk, index }) => [chunk.start, index])).toEqual([
      [0, 0],
      [9, 1],
      [17, 2],
    ]));
});

it('progress is told for each chunk', () => {
  let calls = 0;
  partsOf('a: 1\n---\nb: 2\n', { onProgress: () => (calls += 1) });
  expect(calls).toBe(2);
});
