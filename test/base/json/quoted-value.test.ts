import { describe, expect, it } from 'vitest';
import { quoted } from '../../../src/base/json/quoted-value.ts';

describe('a quoted value', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [80, '80'],
    [true, 'true'],
    ['a "b"', '"a \\"b\\""'],
    ['\u200b', '"\\u200b"'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a', [null]], '[1,"a",[null]]'],
    [{ a: 1, 'b c': { d: [] }, e: '\u200b' }, '{"a":1,"b c":{"d":[]},"e":"\\u200b"}'],
    [{ '\u200b': 1 }, '{"\\u200b":1}'],
  ])('%j is %s', (value, text) => expect(quoted(value)).toBe(text));

  it('is cut at 60 characters', () => {
    expect(quoted('x'.repeat(58))).toBe(`"${'x'.repeat(58)}"`);
    expect(quoted('x'.repeat(59))).toBe(`"${'x'.repeat(56)}...`);
    expect(quoted(Array(30).fill(1))).toBe(`[${'1,'.repeat(28)}...`);
    expect(quoted(Array(29).fill(1))).toBe(`[${Array(29).fill(1).join(',')}]`);
    expect(quoted({ ['k'.repeat(60)]: 1 })).toBe(`{"${'k'.repeat(55)}...`);
  });

  it('is read only as far as it is quoted', () => {
    let reads = 0;
    const counting = (length: number): unknown[] =>
      Array.from({ length }, () => ({
        get a() {
          reads += 1;
          return 1;
        },
      }));
    expect(quoted(counting(10_000))).toBe('[{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},{"a":1},...');
    expect(reads).toBeLessThan(10);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(quoted(deep)).toBe(`${'['.repeat(57)}...`);
    deep = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep };
    expect(quoted(deep)).toBe(`${'{"a":'.repeat(20).slice(0, 57)}...`);
  });
});
