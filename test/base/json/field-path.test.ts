import { describe, expect, it } from 'vitest';
import {
  FieldPlace,
  formatPath,
  objectsAt,
  textAt,
  valueAt,
  valuesAt,
  withEdits,
} from '../../../src/base/json/field-path.ts';

describe('edits of fields', () => {
  it('set a value, with the objects above it, and leave the document alone', () => {
    const document = { spec: { containers: [{ name: 'app' }] } };
    const path = ['spec', 'containers', 0, 'livenessProbe', 'periodSeconds'];
    expect(withEdits(document, [{ path, value: 5 }])).toEqual({
      spec: { containers: [{ name: 'app', livenessProbe: { periodSeconds: 5 } }] },
    });
    expect(document).toEqual({ spec: { containers: [{ name: 'app' }] } });
  });

  it('remove a field or an element with null', () => {
    const document = { a: { b: 1, c: 2 }, list: [1, 2, 3] };
    const edits = [
      { path: ['a', 'b'], value: null },
      { path: ['list', 1], value: null },
    ];
    expect(withEdits(document, edits)).toEqual({ a: { c: 2 }, list: [1, 3] });
  });

  it('are made in order, append at the end of a list, and ignore elements that do not exist', () => {
    const edits = [
      { path: ['list', 0], value: 'a' },
      { path: ['list', 1], value: 'b' },
      { path: ['list', 7, 'name'], value: 'c' },
    ];
    expect(withEdits({}, edits)).toEqual({ list: ['a', 'b'] });
  });

  it('that remove an absent field, or reach into a list that is not there, change nothing', () => {
    const document = { a: { b: 1 }, s: 'text' };
    const edits = [
      { path: ['a', 'c', 'd'], value: null },
      { path: ['s', 'x'], value: null },
      { path: ['list', 1], value: 'x' },
    ];
    expect(withEdits(document, edits)).toEqual(document);
    expect(Object.keys(withEdits(document, edits))).toEqual(['a', 's']);
  });
});

describe('a place in a document', () => {
  it('has the path from the top, and paths below it', () => {
    const place = new FieldPlace(['spec'], 'containers').at(0).at('livenessProbe');
    expect(place.path()).toEqual(['spec', 'containers', 0, 'livenessProbe']);
    expect(place.path('httpGet', 'port')).toEqual(['spec', 'containers', 0, 'livenessProbe', 'httpGet', 'port']);
    expect(new FieldPlace([], 'a').path()).toEqual(['a']);
  });
});

describe('what is at a path', () => {
  const document = { a: [{ b: 'x' }, 1, { b: 2 }], c: { 0: 'key' } };

  it('is an own member or an element, and nothing by a step of the other kind', () => {
    expect(valueAt(document, ['a', 0, 'b'])).toBe('x');
    expect(valueAt(document, [])).toBe(document);
    for (const path of [
      ['a', '0'],
      ['c', 0],
      ['a', 9],
      ['c', 'toString'],
      ['a', 1, 'b'],
    ])
      expect(valueAt(document, path)).toBeUndefined();
  });

  it('is a text, or the objects of a list, if there are any', () => {
    expect([textAt(document, 'a', 0, 'b'), textAt(document, 'a', 2, 'b')]).toEqual(['x', undefined]);
    expect(objectsAt(document, 'a')).toEqual([{ b: 'x' }, { b: 2 }]);
    expect([objectsAt(document, 'c'), objectsAt(document, 'd')]).toEqual([[], []]);
  });

  it('is each value that a pattern leads to, with its path', () => {
    expect(valuesAt(document, ['a', '*', 'b'])).toEqual([
      { value: 'x', path: ['a', 0, 'b'] },
      { value: 2, path: ['a', 2, 'b'] },
    ]);
    expect(valuesAt(document, [])).toEqual([{ value: document, path: [] }]);
    expect([valuesAt(document, ['c', '*']), valuesAt(document, ['a', 'b'])]).toEqual([[], []]);
  });
});

it('a path is written as people write it', () => {
  expect(formatPath(['spec', 'containers', 0, 'env', 10])).toBe('spec.containers[0].env[10]');
  expect(formatPath(['metadata', 'annotations', 'a/b', '9', 'x-y', '_z'])).toBe(
    'metadata.annotations["a/b"]["9"].x-y._z',
  );
  expect([formatPath([]), formatPath([0]), formatPath(['a.b'])]).toEqual(['', '[0]', '["a.b"]']);
});
