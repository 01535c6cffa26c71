import { describe, expect, it } from 'vitest';
import { withEdits } from '../../../src/base/json/field-path.ts';

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
