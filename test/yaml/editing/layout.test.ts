import { describe, expect, it } from 'vitest';
import { layoutOf, type Layout } from '../../../src/yaml/editing/layout.ts';
import { readDocument } from './changed-text.ts';

function layout(text: string): Layout {
  return layoutOf(text, readDocument(text).tree.root, '\r\n');
}

it('a document without mappings in mappings has the usual layout, and the line break that is given', () => {
  const usual = { step: 2, indentSequences: false, compact: false, jsonStep: undefined, flowPadding: false };
  expect(layout('a: 1\n')).toEqual({ ...usual, json: false, eol: '\r\n' });
  expect(layout('x\n')).toEqual({ ...usual, json: false, eol: '\r\n' });
  expect(layout('[]\n')).toEqual({ ...usual, json: true, eol: '\r\n' });
});

describe('the indentation', () => {
  it.each([
    ['a:\n    b: 1\n', 4],
    ['a:\n  b:\n     c: 1\nd:\n   e: 1\nf:\n   g: 1\n', 3],
    ['a:\n    b: 1\nc:\n  d: 1\n', 4],
    ['a:\n  b: 1\nc:\n    d: 1\n', 2],
    ['l:\n    - a:\n         b: 1\n', 3],
  ])('of %j is %i, the most common one, and the first of equally common ones', (text, step) =>
    expect(layout(text).step).toBe(step),
  );

  it.each([
    ['a:\n- 1\n', false],
    ['a:\n  - 1\n', true],
    ['a:\n  - 1\nb:\n- 1\nc:\n- 1\n', false],
    ['a:\n  - 1\nb:\n- 1\n', true],
    ['a: [1]\n', false],
  ])('of the lists in %j is below the key: %j', (text, isIndented) =>
    expect(layout(text).indentSequences).toBe(isIndented),
  );

  it.each([
    ['{\n  "a": 1\n}', '  '],
    ['{\n\t"a": {\n\t\t"b": 1\n\t}\n}', '\t'],
    ['{\n    "a": {\n      "b": 1\n    },\n    "c": {\n      "d": 1\n    }\n}', '  '],
    ['{"a": 1}', undefined],
    ['{\n"a": 1}', undefined],
    ['  {\n"a": 1}', undefined],
    ['m:\n  {\n    "a": 1\n  }\n', '  '],
    ['[\n  {\n    "a": 1\n  }\n]', '  '],
    ['{}', undefined],
  ])('of the JSON %j is %j', (text, step) => expect(layout(text).jsonStep).toBe(step));
});

describe('the spaces', () => {
  it.each([
    ['{"a":1}', true],
    ['{"a": 1}', false],
    ['{"a":1,"b":2,"c": 3}', true],
    ['{"a": 1,"b":2}', false],
    ['{"a"}', false],
    ['{a: }', false],
    ['{"a":[{"b":1}]}', true],
    ['a: 1\n', false],
  ])('of %j are left out: %j', (text, compact) => expect(layout(text).compact).toBe(compact));

  it.each([
    ['a: { b: 1 }\n', true],
    ['a: {b: 1}\n', false],
    ['a: {\tb: 1}\n', true],
    ['a: { b: 1 }\nc: {d: 1}\ne: {f: 1}\n', false],
    ['a: {\n  b: 1 }\n', false],
    ['{ a: 1 }\n', true],
  ])('of %j are inside its braces: %j', (text, padding) => expect(layout(text).flowPadding).toBe(padding));
});

it.each([
  ['{a: 1}', true],
  ['[1]', true],
  ['a: {b: 1}\n', false],
  ['- 1\n', false],
  ['"x"\n', false],
])('the document %j is one flow collection: %j', (text, json) => expect(layout(text).json).toBe(json));
