import { describe, expect, it } from 'vitest';
import {
  additions,
  isOpenEnded,
  removals,
  renamedKey,
  replacement,
} from '../../../src/yaml/editing/collection-edits.ts';
import { changedText, edit, readDocument } from './changed-text.ts';
import type { CST } from 'yaml';
import type { FieldEdit } from '../../../src/base/json/field-path.ts';

type Case = readonly [text: string, edits: readonly FieldEdit[], after: string];

describe('what is added to a block collection', () => {
  it.each<Case>([
    ['a: 1\n', [edit('b', 2)], 'a: 1\nb: 2\n'],
    ['a: 1', [edit('b', 2)], 'a: 1\nb: 2'],
    ['a: 1\r\nb: 2\r\n', [edit('c', { d: 1 })], 'a: 1\r\nb: 2\r\nc:\r\n  d: 1\r\n'],
    ['m:\n  a: 1\n', [edit('m.b', 'x\n\ny\n')], 'm:\n  a: 1\n  b: |\n    x\n\n    y\n'],
    ['m:\n  a: 1\nz: 1\n', [edit('m.b', { c: { d: 1 } })], 'm:\n  a: 1\n  b:\n    c:\n      d: 1\nz: 1\n'],
    ['l:\n  - 1\nz: 1\n', [edit('l.1', { a: 1, b: 2 })], 'l:\n  - 1\n  - a: 1\n    b: 2\nz: 1\n'],
  ])('is below its last line, in its indentation: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['m:\n  a: 1\n  # c\n\n  # d\n# e\n', [edit('m.b', 2)], 'm:\n  a: 1\n  # c\n\n  # d\n  b: 2\n# e\n'],
    ['m:\n  a: 1\n # c\n', [edit('m.b', 2)], 'm:\n  a: 1\n  b: 2\n # c\n'],
    ['m:\n  a: 1\n\n\nz: 1\n', [edit('m.b', 2)], 'm:\n  a: 1\n  b: 2\n\n\nz: 1\n'],
    ['m:\n  a: 1\n  # c', [edit('m.b', 2)], 'm:\n  a: 1\n  # c\n  b: 2'],
    ['l:\n  - 1\n  # c\nz: 1\n', [edit('l.1', 2)], 'l:\n  - 1\n  - 2\n  # c\nz: 1\n'],
    ['l:\n  - 1\n   # c\nz: 1\n', [edit('l.1', 2)], 'l:\n  - 1\n   # c\n  - 2\nz: 1\n'],
    ['l:\n- 1\n# c\nz: 1\n', [edit('l.1', 2)], 'l:\n- 1\n- 2\n# c\nz: 1\n'],
    ['l:\n- 1\n # c\nz: 1\n', [edit('l.1', 2)], 'l:\n- 1\n # c\n- 2\nz: 1\n'],
    ['a: 1\n\n# c\n', [edit('b', 2)], 'a: 1\nb: 2\n\n# c\n'],
    ['a: 1\n # c\n', [edit('b', 2)], 'a: 1\n # c\nb: 2\n'],
  ])('is below comments with the indentation of a mapping, or more than that of a list: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['m:\n  a: 1', [edit('m.b', 'x\ny\n')], 'm:\n  a: 1\n  b: |\n    x\n    y\n'],
    ['m:\n  a: 1', [edit('m.b', 'x'), edit('m.c', 'x\ny')], 'm:\n  a: 1\n  b: x\n  c: |-\n    x\n    y\n'],
    ['m:\n  a: 1', [edit('m.b', 'x\ny'), edit('m.c', 'x')], 'm:\n  a: 1\n  b: |-\n    x\n    y\n  c: x'],
    ['a: 1\n', [edit('b', 'x\ny')], 'a: 1\nb: |-\n  x\n  y\n'],
  ])('has a line break at the end of a block scalar, also at the end of the text: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: |\n  x', [edit('b', 1)], 'b: 1\na: |\n  x'],
    ['z: 1\na: |\n  x', [edit('b', 1)], 'z: 1\nb: 1\na: |\n  x'],
    ['z: 1\n# c\na: |+\n  x', [edit('b', 1)], 'z: 1\nb: 1\n# c\na: |+\n  x'],
    ['z: 1 # c\na: |\n  x', [edit('b', 1), edit('c', 2)], 'z: 1 # c\nb: 1\nc: 2\na: |\n  x'],
    ['l:\n  - a: |\n      x', [edit('l.0.b', { c: 1 })], 'l:\n  - b:\n      c: 1\n    a: |\n      x'],
    ['l:\n  - |\n    x', [edit('b', 1)], 'b: 1\nl:\n  - |\n    x'],
    ['z: 1\r\na: |\r\n  x', [edit('b', 1)], 'z: 1\r\nb: 1\r\na: |\r\n  x'],
    ['a: >\n  x', [edit('b', 1)], 'b: 1\na: >\n  x'],
  ])('is before a block scalar at the end that nobody ended: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: |-\n  x', [edit('b', 1)], 'a: |-\n  x\nb: 1'],
    ['a: |\n  x\n', [edit('b', 1)], 'a: |\n  x\nb: 1\n'],
    ['l:\n  - |\n    x', [edit('l.1', 1)], 'l:\n  - |\n    x\n  - 1'],
    ['m:\n  a: |\n    x\nz: 1', [edit('m.b', 1)], 'm:\n  a: |\n    x\n  b: 1\nz: 1'],
  ])('is behind a block scalar that is ended or stripped: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('what is added to a flow collection', () => {
  it.each<Case>([
    ['{a: 1}\n', [edit('b', 2)], '{a: 1, b: 2}\n'],
    ['{"a":1}', [edit('b', [1, 'x'])], '{"a":1,"b":[1,"x"]}'],
    ['{"a": 1}', [edit('b', [1, 'x'])], '{"a": 1, "b": [1, "x"]}'],
    ['m: {a: 1}\n', [edit('m.b', 'x y')], 'm: {a: 1, b: "x y"}\n'],
    ['m: {a: 1, "b": 2}\n', [edit('m.c', 'x')], 'm: {a: 1, "b": 2, "c": "x"}\n'],
    ['m: {"b": 2, a: 1}\n', [edit('m.c', 'x')], 'm: {"b": 2, a: 1, c: x}\n'],
    ['{a: 1,}\n', [edit('b', 2)], '{a: 1, b: 2,}\n'],
    ['l: [1]\n', [edit('l.1', 2), edit('l.2', 3)], 'l: [1, 2, 3]\n'],
    ['l: [{a: 1}, {a: 2}]\n', [edit('l.2', { a: 3 })], 'l: [{a: 1}, {a: 2}, {a: 3}]\n'],
    ['["x"]\n', [edit('1', 'y')], '["x", "y"]\n'],
    ['l: [x]\n', [edit('l.1', 'y')], 'l: [x, "y"]\n'],
  ])('is on the line of the last item, in the style of the others: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['m: {a:}\n', [edit('m.b', 2)], 'm: {a: , b: 2}\n'],
    ['m: {a}\n', [edit('m.b', 2)], 'm: {a, b: 2}\n'],
    ['m: {"a":}\n', [edit('m.b', 2)], 'm: {"a": , "b": 2}\n'],
    ['m: {a: }\n', [edit('m.b', 2)], 'm: {a: , b: 2 }\n'],
  ])('leaves a key without a value what it is: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['{\n  "a": 1\n}\n', [edit('b', { c: [1] })], '{\n  "a": 1,\n  "b": {\n    "c": [\n      1\n    ]\n  }\n}\n'],
    ['{\n  "a": 1, "c": 2\n}\n', [edit('b', 2), edit('d', 3)], '{\n  "a": 1, "c": 2,\n  "b": 2,\n  "d": 3\n}\n'],
    ['{\n  a: 1 # c\n}\n', [edit('b', 2)], '{\n  a: 1, # c\n  b: 2\n}\n'],
    ['{\n  a: 1}\n', [edit('b', 2)], '{\n  a: 1,\n  b: 2}\n'],
    ['{ a: 1,\n  b: 2 }\n', [edit('c', 3)], '{ a: 1,\n  b: 2,\n  c: 3 }\n'],
    ['{\r\n  "a": 1\r\n}', [edit('b', { c: 1 })], '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": 1\r\n  }\r\n}'],
    ['{\n\t"a": 1\n}\n', [edit('b', { c: 1 })], '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}\n'],
    ['[\n  {"a": 1}\n]\n', [edit('1', { b: 2 })], '[\n  {"a": 1},\n  {"b": 2}\n]\n'],
    ['[\n  1, 2\n]\n', [edit('2', 3)], '[\n  1, 2,\n  3\n]\n'],
    ['{\n  "a": {"x": 1}\n}\n', [edit('a.b', { c: 1 })], '{\n  "a": {"x": 1, "b": {"c": 1}}\n}\n'],
  ])('is on a line of its own where the last items are: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['{\n  "a": 1,\n}\n', [edit('b', 2)], '{\n  "a": 1,\n  "b": 2,\n}\n'],
    ['{\n  a: 1, # c\n}\n', [edit('b', 2)], '{\n  a: 1, # c\n  b: 2,\n}\n'],
    ['{\n  a: 1\n  , # c\n}\n', [edit('b', 2)], '{\n  a: 1\n  , # c\n  b: 2,\n}\n'],
    ['{\n  a: 1,}\n', [edit('b', 2)], '{\n  a: 1,\n  b: 2}\n'],
  ])('keeps a comma behind the last item, and comments beside it: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('a value in a block collection', () => {
  it.each<Case>([
    ['a: 1 # c\n', [edit('a', 2)], 'a: 2 # c\n'],
    ['a:   1 # c\n', [edit('a', 2)], 'a:   2 # c\n'],
    ['a: # c\nb: 1\n', [edit('a', 2)], 'a: 2 # c\nb: 1\n'],
    ['a:\nb: 1\n', [edit('a', 2)], 'a: 2\nb: 1\n'],
    ['a: &x 1\n', [edit('a', 2)], 'a: &x 2\n'],
    ['? a\n: 2\n', [edit('a', 1)], '? a\n: 1\n'],
    ['l:\n  - 1 # c\n  - 2\n', [edit('l.0', 3)], 'l:\n  - 3 # c\n  - 2\n'],
    ['l:\n  -   1 # c\n', [edit('l.0', 3)], 'l:\n  -   3 # c\n'],
    ['l:\n  -\n  - 1\n', [edit('l.0', 3)], 'l:\n  - 3\n  - 1\n'],
  ])('is replaced where it is, between its spaces and its comment: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: "x" # c\n', [edit('a', 'y z')], 'a: "y z" # c\n'],
    ["a: 'x' # c\n", [edit('a', "it's")], "a: 'it''s' # c\n"],
    ["a: 'x'\n", [edit('a', 'a\tb')], 'a: "a\\tb"\n'],
    ["a: 'x'\n", [edit('a', 'a\nb')], 'a: "a\\nb"\n'],
    ["a: 'x'\n", [edit('a', '\u200b')], 'a: "\\u200b"\n'],
    ["a: 'x'\n", [edit('a', 1)], 'a: 1\n'],
    ['a: "x"\n', [edit('a', 'a\u200b')], 'a: "a\\u200b"\n'],
    ['l:\n  - "x"\n', [edit('l.0', 'y')], 'l:\n  - "y"\n'],
    ['a: x\n', [edit('a', 'y')], 'a: "y"\n'],
  ])('keeps its quotes, if they can hold the text: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: 1 # c\nb: 2\n', [edit('a', { x: 1 })], 'a: # c\n  x: 1\nb: 2\n'],
    ['a: 1 # c', [edit('a', { x: 1 })], 'a: # c\n  x: 1'],
    ['m:\n  a: 1 # c\n  b: 2\n', [edit('m.a', { x: [1] })], 'm:\n  a: # c\n    x:\n    - 1\n  b: 2\n'],
    ['m:\n  a: 1\n', [edit('m.a', 'x\n\ny\n')], 'm:\n  a: |\n    x\n\n    y\n'],
    ['l:\n  - 1\n', [edit('l.0', { a: 1, b: 2 })], 'l:\n  - a: 1\n    b: 2\n'],
    ['a: {x: 1}\n', [edit('a', { z: { w: 1 } })], 'a:\n  z:\n    w: 1\n'],
    ['a: 1\r\nb: 2\r\n', [edit('a', { x: 1 })], 'a:\r\n  x: 1\r\nb: 2\r\n'],
  ])('may become several lines, below the comment: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['m:\n  a: 1', [edit('m.a', 'x\ny\n')], 'm:\n  a: |\n    x\n    y\n'],
    ['m:\n  a: 1\n  b: 2', [edit('m.a', 'x\ny\n')], 'm:\n  a: |\n    x\n    y\n  b: 2'],
    ['m:\n  a:', [edit('m.a', 'x\ny\n')], 'm:\n  a: |\n    x\n    y\n'],
  ])('ends with a line break where it ends the text as a block scalar: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: # c\n  x: 1\n  y: 2\nb: 1\n', [edit('a', 5)], 'a: 5 # c\nb: 1\n'],
    ['a: # c\n  x: 1\n  y: 2\nb: 1\n', [edit('a', { z: 1 })], 'a: # c\n  z: 1\nb: 1\n'],
    ['a:\n  x: 1', [edit('a', { z: 1 })], 'a:\n  z: 1'],
    ['a:\n  x: 1\n', [edit('a', 7)], 'a: 7\n'],
    ['a:\r\n  x: 1\r\nb: 1\r\n', [edit('a', { z: 1, w: 2 })], 'a:\r\n  z: 1\r\n  w: 2\r\nb: 1\r\n'],
    ['l:\n  - # c\n    a: 1\n', [edit('l.0', 3)], 'l:\n  - 3 # c\n'],
    ['l:\n  - a: 1\n    b: 2\n', [edit('l.0', 3)], 'l:\n  - 3\n'],
  ])('may be on the lines below its key, and comments beside the key stay: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: |\n  x\n  y\nb: 1\n', [edit('a', 'z')], 'a: z\nb: 1\n'],
    ['a: |\n  x\n  y\nb: 1\n', [edit('a', 'z\nw\n')], 'a: |\n  z\n  w\nb: 1\n'],
    ['a: "x\n  y" # c\nb: 1\n', [edit('a', 'z')], 'a: "z" # c\nb: 1\n'],
    ['a: |\n  x', [edit('a', 'z')], 'a: z'],
    ['a: |\n  x\n', [edit('a', 'z')], 'a: z\n'],
    ['a: |\r\n  x\r\nb: 1\r\n', [edit('a', 'z\nw\n')], 'a: |\r\n  z\r\n  w\r\nb: 1\r\n'],
    ['a: |+\n  x\n\nb: 1\n', [edit('a', 'z')], 'a: z\nb: 1\n'],
  ])('may have several lines before: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));
});

describe('a value in a flow collection', () => {
  it.each<Case>([
    ['{a: 1, b: 2}\n', [edit('a', 3)], '{a: 3, b: 2}\n'],
    ['{a: , b: 2}\n', [edit('a', 3)], '{a: 3, b: 2}\n'],
    ['{a, b: 2}\n', [edit('a', 3)], '{a: 3, b: 2}\n'],
    ['{"a", b: 2}\n', [edit('a', 'x')], '{"a": x, b: 2}\n'],
    ['{a : 1}\n', [edit('a', 3)], '{a : 3}\n'],
    ['{? a, b: 1}\n', [edit('a', 3)], '{? a: 3, b: 1}\n'],
    ['{ ? a : 1 }\n', [edit('a', 2)], '{ ? a : 2 }\n'],
    ['{a: {b: 1}}', [edit('a', 2)], '{a: 2}'],
    ['{b: 1, a: }\n', [edit('a', 3)], '{b: 1, a: 3 }\n'],
    ['{b: 1, a:}\n', [edit('a', 3)], '{b: 1, a: 3}\n'],
    ['{b: 1, "a":}\n', [edit('a', 3)], '{b: 1, "a": 3}\n'],
    ['{b: 1, a : # c\n}\n', [edit('a', 3)], '{b: 1, a : 3 # c\n}\n'],
  ])('is replaced where it is, also where it is not written: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['{"a": "x"}', [edit('a', 'y')], '{"a": "y"}'],
    ["{a: 'x'}\n", [edit('a', "it's")], "{a: 'it''s'}\n"],
    ['{"a":1}', [edit('a', [1, 2])], '{"a":[1,2]}'],
    ['[1, 2]\n', [edit('0', { a: 1 })], '[{"a": 1}, 2]\n'],
    ['m: {a: 1, "b": 2}\n', [edit('m.a', { c: 1 })], 'm: {a: {"c": 1}, "b": 2}\n'],
    ['m: {"b": 2, a: 1}\n', [edit('m.a', { c: 1 })], 'm: {"b": 2, a: {c: 1}}\n'],
  ])('keeps its quotes, and follows the style of the keys: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['{\n  "a": 1\n}\n', [edit('a', { b: [1] })], '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}\n'],
    ['{\r\n  "a": 1\r\n}\r\n', [edit('a', { b: 1 })], '{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n'],
    ['{ "a": 1 }\n', [edit('a', { b: 1 })], '{ "a": {"b": 1} }\n'],
    ['m:\n  {\n    "a": 1\n  }\n', [edit('m.a', { b: 1 })], 'm:\n  {\n    "a": {"b": 1}\n  }\n'],
    ['{\n  "a": {"x": 1}, "b": 1\n}\n', [edit('b', { c: 1 })], '{\n  "a": {"x": 1}, "b": {"c": 1}\n}\n'],
  ])('has several lines on a line of its own in JSON that has: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('a key', () => {
  it.each<Case>([
    ['a: 1 # c\nb: 2\n', [edit('a'), edit('c', 1)], 'c: 1 # c\nb: 2\n'],
    ['"a": 1\n', [edit('a'), edit('c', 1)], '"c": 1\n'],
    ["'a': 1\n", [edit('a'), edit("it's", 1)], "'it''s': 1\n"],
    ['a: 1\n', [edit('a'), edit('b c', 1)], '"b c": 1\n'],
    ['a: 1\n', [edit('a'), edit('yes', 1)], '"yes": 1\n'],
    ['a: 1\n', [edit('a'), edit('xxx-y_z', 1)], 'xxx-y_z: 1\n'],
    ['a: 1\n', [edit('a'), edit('9x', 1)], '"9x": 1\n'],
    ['{"a":1}', [edit('a'), edit('c', 1)], '{"c":1}'],
    ['? a\n: 1\n', [edit('a'), edit('c', 1)], '? c\n: 1\n'],
  ])('gets another name, in its quotes: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));
});

describe('what is removed from a block collection', () => {
  it.each<Case>([
    ['a: 1\nb: 2 # c\nd: 3\n', [edit('b')], 'a: 1\nd: 3\n'],
    ['a: 1\nb: 2', [edit('b')], 'a: 1\n'],
    ['a: 1\nb:\n  c: 1\n  # d\n# e\nf: 1\n', [edit('b')], 'a: 1\n  # d\n# e\nf: 1\n'],
    ['l:\n  - a: 1\n    b: 2\n    c: 3\n', [edit('l.0.b')], 'l:\n  - a: 1\n    c: 3\n'],
    ['\uFEFFa: 1\nb: 2\n', [edit('b')], '\uFEFFa: 1\n'],
    ['a: 1\r\nb: 2\r\n', [edit('a')], 'b: 2\r\n'],
    ['a: 1\nb: 2\nc: 3\nd: 4\n', [edit('a'), edit('c')], 'b: 2\nd: 4\n'],
  ])('is removed with its lines and the comment beside it: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['l:\n  - a: 1\n    b: 2\n', [edit('l.0.a')], 'l:\n  - b: 2\n'],
    ['l:\n  - a: 1\n    b: 2\n    c: 3\n    d: 4\n', [edit('l.0.a'), edit('l.0.b'), edit('l.0.d')], 'l:\n  - c: 3\n'],
    ['- - {a: 1}\n  - {b: 2}\n  - {c: 3}\n', [edit('0.0')], '- - {b: 2}\n  - {c: 3}\n'],
  ])('makes room behind a dash, to which the next item moves: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('what is removed from a flow collection', () => {
  it.each<Case>([
    ['{a: 1, b: 2, c: 3}\n', [edit('a')], '{b: 2, c: 3}\n'],
    ['{a: 1, b: 2, c: 3}\n', [edit('b')], '{a: 1, c: 3}\n'],
    ['{a: 1, b: 2, c: 3}\n', [edit('c')], '{a: 1, b: 2}\n'],
    ['{a: 1, b: 2, c: 3}\n', [edit('b'), edit('c')], '{a: 1}\n'],
    ['{a: 1, b: 2, c: 3}\n', [edit('a'), edit('c')], '{b: 2}\n'],
    ['{a: 1, b: 2,}\n', [edit('b')], '{a: 1,}\n'],
    ['{a: 1, b: 2,}\n', [edit('a')], '{b: 2,}\n'],
    ['[1, 2, 3]\n', [edit('2'), edit('1')], '[1]\n'],
    ['[ 1 , 2 ]\n', [edit('1')], '[ 1  ]\n'],
    ['{a: 1\n  , b: 2}\n', [edit('b')], '{a: 1\n  }\n'],
  ])('is removed with one comma: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));

  it.each<Case>([
    ['{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', [edit('b')], '{\n  "a": 1,\n  "c": 3\n}\n'],
    ['{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', [edit('c')], '{\n  "a": 1,\n  "b": 2\n}\n'],
    ['{\n  "a": 1,\n  "b": 2\n}\n', [edit('a')], '{\n  "b": 2\n}\n'],
    ['{\n  a: 1, # ca\n  b: 2 # cb\n}\n', [edit('a')], '{\n  b: 2 # cb\n}\n'],
    ['{\n  a: 1, # ca\n  # own\n  b: 2\n}\n', [edit('b')], '{\n  a: 1 # ca\n  # own\n  \n}\n'],
  ])('is removed with its line, and comments about other items stay: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('edits of a collection', () => {
  const { text, tree, layout } = readDocument('m: {a: 1}\nl: [1, [2]]\n');
  const token = tree.root.srcToken as CST.BlockMap;
  const list = token.items[1]?.value as CST.FlowCollection;

  it('are none where nothing is added or removed', () => {
    expect(additions(text, token, [], layout)).toEqual([]);
    expect(removals(text, token, token.items, new Set())).toEqual([]);
  });

  it('are none for a notation that is not supported', () => {
    expect(replacement(text, { parent: list, tokens: { start: [] } }, 1, layout)).toBeUndefined();
    expect(replacement(text, { parent: token, tokens: { start: [] } }, 1, layout)).toBeUndefined();
    expect(renamedKey({ start: [], key: null }, 'a', layout)).toBeUndefined();
    expect(renamedKey({ start: [], key: list }, 'a', layout)).toBeUndefined();
    expect(() => changedText('? a\n', edit('a', 1))).toThrow('a has a notation that cannot be edited');
    expect(() => changedText('? |\n  a\n: 1\n', { path: ['a\n'], value: null }, edit('c', 1))).toThrow(
      'has an unusual key',
    );
    expect(() => changedText('a: &x k\n*x : 1\n', edit('k'), edit('c', 1))).toThrow('k has an unusual key');
  });
});

it.each([
  ['a: |\n  x', true],
  ['a: |+\n  x', true],
  ['l:\n  - b: 1\n    a: >\n      x', true],
  ['a: |-\n  x', false],
  ['a: |\n  x\n', false],
  ['a: x', false],
  ['a: {b: 1}', false],
  ['a: |\n  x\n# c', false],
])('the text %j is open at its end: %j', (open, isOpen) => {
  const { tree } = readDocument(open);
  expect(tree.root.srcToken && isOpenEnded(open, tree.root.srcToken)).toBe(isOpen);
});
