import { describe, expect, it } from 'vitest';
import { EditRefused, changeEdits } from '../../../src/yaml/editing/change-edits.ts';
import { changedText, edit, readDocument } from './changed-text.ts';
import type { FieldEdit } from '../../../src/base/json/field-path.ts';

type Case = readonly [text: string, edits: readonly FieldEdit[], after: string];

describe('a change of a document', () => {
  it.each<Case>([
    ['a: 1\n', [], 'a: 1\n'],
    ['a: 1 # c\nb: {c: [1, {d: 2}]} # e\n', [edit('b.c.1.d', 3)], 'a: 1 # c\nb: {c: [1, {d: 3}]} # e\n'],
    ['- 1\n', [edit('0', 2)], '- 2\n'],
    ['- 1\n- 2\n', [edit('0', 3)], '- 3\n- 2\n'],
    ['l: [[1], [2]]\n', [edit('l.1.0', 3)], 'l: [[1], [3]]\n'],
    ['__proto__: 1\na: 2\n', [edit('a', 3)], '__proto__: 1\na: 3\n'],
    ['a: 1\n', [edit('__proto__', 1)], 'a: 1\n__proto__: 1\n'],
  ])('touches only what differs: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));

  it.each<Case>([
    ['l: [x]\n', [edit('l', { a: 1 })], 'l:\n  a: 1\n'],
    ['l: {a: 1}\n', [edit('l', [1])], 'l:\n- 1\n'],
    ['l: []\n', [edit('l.0', 1)], 'l:\n- 1\n'],
    ['m: {}\n', [edit('m.a', 1)], 'm:\n  a: 1\n'],
    ['m:\n', [edit('m.a', 1)], 'm:\n  a: 1\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l', [])], 'l: []\n'],
    ['m: {a: {p: 1}}\n', [edit('m.a'), edit('m.z', { p: 2 })], 'm:\n  z:\n    p: 2\n'],
    ['"k": {"a": null}\n', [edit('k.a', 1)], '"k": {"a": 1}\n'],
  ])('replaces a value of which nothing stays: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: 1\n', [edit('a')], 'the edited value is the whole document'],
    ['- 1\n', [edit('0')], 'the edited value is the whole document'],
    ['{}\n', [edit('a', 1)], 'the edited value is the whole document'],
    ['{a: 1}\n', [edit('a'), edit('b', 2)], 'the edited value is the whole document'],
    ['? [x]\n: 1\n', [edit('a', 1)], 'the edited value is the whole document'],
  ])('is refused where nothing of the document stays: %j', (text, edits, after) =>
    expect(() => changedText(text, ...edits)).toThrow(after),
  );

  it.each<Case>([
    ['l: [a: 1]\n', [edit('l.0.b', 2)], 'l[0] has a notation that cannot be edited'],
    ['[a: 1, b: 2]\n', [edit('0.a', 3)], '[0] has a notation that cannot be edited'],
    ['[[x: 1], {b: 2}]\n', [edit('0.0.x', 5)], '[0][0] has a notation that cannot be edited'],
  ])('is refused for a notation that is not supported: %j', (text, edits, after) =>
    expect(() => changedText(text, ...edits)).toThrow(after),
  );
});

describe('a key', () => {
  it.each<Case>([
    ['a: 1\nb: 1\nc: 2\n', [edit('a'), edit('x', 1)], 'x: 1\nb: 1\nc: 2\n'],
    ['a: 1\nb: 1\nc: 2\n', [edit('a'), edit('b'), edit('x', 1)], 'x: 1\nc: 2\n'],
    ['a: 1\nb: 2\nc: 2\n', [edit('a'), edit('b'), edit('x', 2), edit('w', 1)], 'w: 1\nx: 2\nc: 2\n'],
    ['a: 1\nb: 2\n', [edit('a'), edit('b'), edit('x', 2)], 'x: 2\n'],
    ['m: {a: {p: 1}}\n', [edit('m.a'), edit('m.z', { p: 1 })], 'm: {z: {p: 1}}\n'],
    ['a: 1\nb: 2\n', [edit('a'), edit('x', 3), edit('w', 1)], 'w: 1\nb: 2\nx: 3\n'],
  ])('keeps its place, where its value only gets another name: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: 1\na: 2\nb: 3\n', [edit('a', 4)], 'a: 1\na: 4\nb: 3\n'],
    ['a: 1\na: 2\nb: 3\n', [edit('a')], 'b: 3\n'],
    ['a: {x: 1}\na: {x: 2}\nb: 3\n', [edit('a.x', 4)], 'a: {x: 1}\na: {x: 4}\nb: 3\n'],
  ])('that a document has twice is set where it counts, and removed in both places: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('a list', () => {
  it.each<Case>([
    ['l: [{a: 1}, {b: 2}, {c: 3}]\n', [edit('l.1')], 'l: [{a: 1}, {c: 3}]\n'],
    ['l: [{a: 1}, {b: 1}, {c: 1}]\n', [edit('l.2'), edit('l.0')], 'l: [{b: 1}]\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l.0.a', 2)], 'l: [{a: 2}, {b: 2}]\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l.0'), edit('l.1', { z: 1 })], 'l: [{b: 2}, {z: 1}]\n'],
    ['l: [{a: 1}, 2, {b: 2}]\n', [edit('l.1', 3)], 'l: [{a: 1}, 3, {b: 2}]\n'],
    ['l: [{a: 1}, 2, {b: 2}]\n', [edit('l.1')], 'l: [{a: 1}, {b: 2}]\n'],
    ['l: [{a: 1}, 2, {b: 2}]\n', [edit('l.0')], 'l: [2, {b: 2}]\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l.1', { b: 3 }), edit('l.2', 9)], 'l: [{a: 1}, {b: 3}, 9]\n'],
  ])('keeps the elements that stay: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));

  it.each<Case>([
    ['l: [1, 2]\n', [edit('l.0', 5)], 'l: [5, 2]\n'],
    ['l: [1, 2, 3]\n', [edit('l.0')], 'l: [2, 3]\n'],
    ['l: [1, 2]\n', [edit('l', [1, 2, 3])], 'l: [1, 2, 3]\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l', [{ z: 1 }, { w: 2 }])], 'l: [{z: 1}, {w: 2}]\n'],
    ['l: [{a: 1}, {b: 2}]\n', [edit('l', [{ z: 1 }, { w: 2 }, { v: 3 }])], 'l: [{z: 1}, {w: 2}, {v: 3}]\n'],
    ['l:\n- 1\n- 2\n- 3\n', [edit('l', [1])], 'l:\n- 1\n'],
    ['[a: 1, b: 2]\n', [edit('0')], '[b: 2]\n'],
  ])('of other values is compared place by place: %j', (text, edits, after) =>
    expect(changedText(text, ...edits)).toBe(after),
  );
});

describe('an anchor', () => {
  it.each<Case>([
    ['a: &x {b: 1}\nc: 2\n', [edit('a.b', 2)], 'a: &x {b: 2}\nc: 2\n'],
    ['a: &x {b: 1}\nc: *x\n', [edit('c', 2)], 'a: &x {b: 1}\nc: 2\n'],
    ['a: &x {b: 1}\nc: *x\n', [edit('c')], 'a: &x {b: 1}\n'],
    ['a: &x 1\nb: *x\n', [edit('c', 1)], 'a: &x 1\nb: *x\nc: 1\n'],
    ['a: &x 1\nb: &w 2\nc: *w\n', [edit('a', 5)], 'a: &x 5\nb: &w 2\nc: *w\n'],
    ['a: {m: &x {b: 1}, d: 2}\nc: *x\n', [edit('a.d', 3)], 'a: {m: &x {b: 1}, d: 3}\nc: *x\n'],
    ['l:\n- &x {a: 1}\n- *x\n- {b: 1}\n', [edit('l.2')], 'l:\n- &x {a: 1}\n- *x\n'],
    ['l:\n- &x {a: 1}\n- *x\n- {b: 1}\n', [edit('l.1')], 'l:\n- &x {a: 1}\n- {b: 1}\n'],
    ['m:\n  a: &x 1\n  b: *x\n', [edit('m.a'), edit('m.c', 1)], 'm:\n  c: &x 1\n  b: *x\n'],
  ])(
    'that nothing refers to is like any other text, and an alias may be replaced or removed: %j',
    (text, edits, after) => expect(changedText(text, ...edits)).toBe(after),
  );

  it.each<Case>([
    ['a: &x {b: 1}\nc: *x\n', [edit('a.b', 2)], 'a belongs to anchor "x", which other places use'],
    ['a: &x {b: 1}\nc: *x\n', [edit('a', 2)], 'a belongs to anchor "x", which other places use'],
    ['a: &x {b: 1}\nc: *x\n', [edit('a')], 'a belongs to anchor "x", which other places use'],
    ['a: {m: &x {b: 1}}\nc: *x\n', [edit('a')], 'a belongs to anchor "x", which other places use'],
    ['a: {m: &x {b: 1}, d: 2}\nc: *x\n', [edit('a', 3)], 'a belongs to anchor "x", which other places use'],
    ['l:\n- &x {a: 1}\n- *x\n- {b: 1}\n', [edit('l.0')], 'l[0] belongs to anchor "x", which other places use'],
    ['l:\n- &x {a: 1}\n- *x\n- {b: 1}\n', [edit('l.0.a', 2)], 'l[0] belongs to anchor "x", which other places use'],
    ['a: &x 1\nb: *x\nc: &x 2\nd: *x\n', [edit('a', 9)], 'a belongs to anchor "x", which other places use'],
    ['a: &x 1\nb: *x\nc: &x 2\nd: *x\n', [edit('c', 9)], 'c belongs to anchor "x", which other places use'],
    ['l: [1, &x 2, *x]\n', [edit('l', [1])], 'l[1] belongs to anchor "x", which other places use'],
  ])('is not changed where other places use it: %j', (text, edits, after) =>
    expect(() => changedText(text, ...edits)).toThrow(after),
  );

  it.each<Case>([
    ['a: &x {b: 1}\nc: *x\n', [edit('c.b', 2)], 'c is an alias of the content of anchor "x"'],
    ['a: &x [1, 2]\nc: *x\n', [edit('c.0', 2)], 'c is an alias of the content of anchor "x"'],
  ])('is not changed through an alias: %j', (text, edits, after) =>
    expect(() => changedText(text, ...edits)).toThrow(after),
  );
});

describe('a merge key', () => {
  it.each<Case>([
    [
      'b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n',
      [edit('a.p', 5)],
      'b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n  p: 5\n',
    ],
    [
      'b: &x {p: 1}\nc: &w {q: 2}\na:\n  <<: [*x, *w]\n',
      [edit('a.q', 3)],
      'b: &x {p: 1}\nc: &w {q: 2}\na:\n  <<: [*x, *w]\n  q: 3\n',
    ],
    ['b: &x {p: 1}\na:\n  <<: *x\n  p: 2\n', [edit('a.p', 5)], 'b: &x {p: 1}\na:\n  <<: *x\n  p: 5\n'],
  ])('is overridden by a pair behind it: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));

  it.each<Case>([
    ['b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n', [edit('a.r', 4)], 'b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 4\n'],
    [
      'b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n',
      [edit('a.s', 4)],
      'b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n  s: 4\n',
    ],
    ['b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n', [edit('a.r')], 'b: &x {p: 1, q: 2}\na:\n  <<: *x\n'],
    [
      'b: &x {p: 1}\nc: &w {q: 2}\na:\n  <<: [*x, *w]\n  z: 1\n',
      [edit('a.z')],
      'b: &x {p: 1}\nc: &w {q: 2}\na:\n  <<: [*x, *w]\n',
    ],
    ['a:\n  "<<": 1\n  p: 2\n', [edit('a.p')], 'a:\n  "<<": 1\n'],
    ['b: &x {p: 1}\na:\n  r: 3\n  <<: *x\n', [edit('a.r', 4)], 'b: &x {p: 1}\na:\n  r: 4\n  <<: *x\n'],
  ])('leaves other keys as they are: %j', (text, edits, after) => expect(changedText(text, ...edits)).toBe(after));

  it.each<Case>([
    ['b: &x {p: 1, q: 2}\na:\n  <<: *x\n  r: 3\n', [edit('a.p')], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: {c: 1}}\na:\n  <<: *x\n', [edit('a.p.c', 5)], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: {c: 1}}\na:\n  <<: *x\n', [edit('a.p.d', 5)], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: 1}\na:\n  p: 2\n  <<: *x\n', [edit('a.p', 5)], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: 1}\na:\n  p: 2\n  <<: *x\n  r: 1\n', [edit('a.p')], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: 1}\na:\n  <<: *x\n  r: 3\n', [edit('a.p'), edit('a.s', 1)], 'a.p comes from a merge key (<<)'],
    ['b: &x {p: 1}\nc: &w {q: 2}\na:\n  <<: [*x, *w]\n', [edit('a.q')], 'a.q comes from a merge key (<<)'],
  ])('does not lose a key, and what it merges is not changed: %j', (text, edits, after) =>
    expect(() => changedText(text, ...edits)).toThrow(after),
  );
});

it('a refusal names the path, and is an error of its own', () => {
  const { value, ...document } = readDocument('a: [{b: &x 1}, *x]\n');
  expect(() => changeEdits(document, value, { a: [{ b: 2 }, 1] })).toThrow(
    new EditRefused('a[0].b belongs to anchor "x", which other places use'),
  );
  expect(() => changeEdits(document, value, 1)).toThrow(EditRefused);
  expect(new EditRefused('x').name).toBe('EditRefused');
  expect(changeEdits(document, value, structuredClone(value))).toEqual([]);
});
