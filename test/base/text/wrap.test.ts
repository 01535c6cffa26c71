import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrap, wrapEvenly, wrapFile, wrapPath } from '../../../src/base/text/wrap.ts';

const words = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', '.') }), {
  minLength: 1,
  maxLength: 60,
});

describe('running text', () => {
  it('does not end in a line of one word', () => {
    expect(wrap('one two three four', 13)).toEqual(['one two three', 'four']);
    expect(wrapEvenly('one two three four', 13)).toEqual(['one two', 'three four']);
  });

  it('keeps a number and its unit in one line', () =>
    expect(wrapEvenly('dead by second 185 s (3 min 5 s)', 18)).toEqual(['dead by second', '185 s (3 min 5 s)']));

  it('keeps the word alone where narrower lines would need one line more', () =>
    expect(wrapEvenly('aaaaaaaaaa bb', 10)).toEqual(['aaaaaaaaaa', 'bb']));

  it('is narrower by a third at most', () => {
    expect(wrapEvenly('aaaaa bb cccc', 12)).toEqual(['aaaaa bb', 'cccc']);
    expect(wrapEvenly('aaaaa bb cccc', 10)).toEqual(['aaaaa', 'bb cccc']);
  });

  it('keeps all words in order, the width, and the number of lines', () =>
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 60 }), (list, width) => {
        const text = list.join(' ');
        const lines = wrapEvenly(text, width);
        expect(lines.join(' ')).toBe(text);
        expect(lines).toHaveLength(wrap(text, width).length);
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      }),
    ));
});

describe('paths', () => {
  it('break behind dots in objects, and behind slashes in files', () => {
    expect(wrapPath('spec.containers[0].livenessProbe.httpGet.port', 20)).toEqual([
      'spec.containers[0].',
      'livenessProbe.',
      'httpGet.port',
    ]);
    expect(wrapFile('apps/web.v1/deployment.yaml', 16)).toEqual(['apps/web.v1/', 'deployment.yaml']);
  });

  it('keep all of the text and the width', () => {
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', '\u{1f600}'), maxLength: 80 });
    fc.assert(
      fc.property(path, fc.integer({ min: 2, max: 40 }), (text, width) => {
        for (const lines of [wrapPath(text, width), wrapFile(text, width)]) {
          expect(lines.join('')).toBe(text);
          expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});
