import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonWeight, MOST_BYTES_PER_CHARACTER } from '../../../src/webhook/http/json-weight.ts';

describe('the weight of a JSON text', () => {
  it('is made of its members, wherever they stand, and never of what looks like them in strings', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: fc.constantFrom(',', '[', '{', ':', '"', '\\', '7', 'a', '\n') }),
        (value) => {
          const text = JSON.stringify(value);
          expect(jsonWeight(text)).toBe(2 * text.length + weightOfMembers(value));
        },
      ),
    );
  });

  it('goes to the end of what is no JSON', () => {
    expect(jsonWeight('"never closed \\",,,,,,')).toBe(2 * 22);
    expect(jsonWeight(',,,,')).toBe(jsonWeight('""') + 4 * 42 - 4);
    expect(jsonWeight('"\\\\",,,,')).toBe(2 * 8 + 4 * 40);
  });

  it.each(['{"1":'.repeat(1000), '[{"1":'.repeat(1000), '['.repeat(1000), ','.repeat(1000)])(
    'is at most MOST_BYTES_PER_CHARACTER for each character: %#',
    (text) => {
      expect(jsonWeight(text)).toBeLessThanOrEqual(text.length * MOST_BYTES_PER_CHARACTER);
    },
  );

  it.each(Object.entries(shapes()))('is no less than what V8 needs for %s', (_, text) => {
    const needed = memoryOf(text);
    // Or the collector would have told nothing.
    expect(needed).toBeGreaterThan(100_000);
    expect(needed).toBeLessThan(jsonWeight(text));
  });
});

function weightOfMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.entries(value);
  const keys = Array.isArray(value) ? [] : members.map(([key]) => JSON.stringify(key).charAt(1));
  const ofKeys = keys.map((first) => (first === '7' || first === '\\' ? 340 : 140));
  const inside = members.map(([, member]) => weightOfMembers(member));
  return 72 + 40 * Math.max(0, members.length - 1) + [...ofKeys, ...inside].reduce((sum, one) => sum + one, 0);
}

/** Texts that make the most of how V8 keeps objects: hidden classes, internalized keys, lists with holes, boxed numbers, two-byte strings. */
function shapes(): Record<string, string> {
  const count = 20_000;
  const made = <T>(length: number, make: (index: number) => T): T[] =>
    Array.from({ length }, (_, index) => make(index));
  const list = (item: (index: number) => string): string => `[${made(count, item).join(',')}]`;
  const nested = (open: (index: number) => string, close: string): string =>
    `${made(count, open).join('')}0${close.repeat(count)}`;
  const object = (keys: readonly string[]): string => `{${keys.map((key) => `"${key}":0`).join(',')}}`;
  const turned = (index: number): string[] =>
    made(26, (key) => String.fromCharCode(97 + ((key * (1 + 2 * (index % 13)) + index) % 26)));
  return {
    'empty objects': list(() => '{}'),
    'empty lists': list(() => '[]'),
    'lists of one': list(() => '[0]'),
    'boxed numbers': list((index) => (index % 2 === 0 ? '{}' : `${index}.5`)),
    'two-byte strings': list((index) => `"x${index}\u4e00"`),
    'keys of their own': list((index) => `{"k${index}":0}`),
    'short keys of their own': list((index) => `{"${String.fromCharCode(0x100 + index)}":0}`),
    'one object of many keys': object(made(count, (index) => `k${index}`)),
    'objects of a hundred keys of their own': `[${made(200, (index) => object(made(100, (key) => `k${index}-${key}`))).join(',')}]`,
    'objects of the same keys in other orders': `[${made(800, (index) => object([...new Set(turned(index))])).join(',')}]`,
    'escaped indices': list(() => '{"\\u00333":0}'),
    ...Object.fromEntries(
      [0, 7, 15, 31, 33, 40, 60, 500, 5000].map((key) => [`index ${key}`, list(() => `{"${key}":0}`)]),
    ),
    ...Object.fromEntries([31, 33].map((key) => [`nested index ${key}`, nested(() => `{"${key}":`, '}')])),
    ...Object.fromEntries([31, 33].map((key) => [`indices 0 and ${key}`, list(() => object(['0', String(key)]))])),
    'index and a key of their own': list((index) => `{"k${index}":0,"33":0}`),
    'nested lists': nested(() => '[', ']'),
    'nested pairs': nested(() => '[0,', ']'),
    'nested keys of their own': nested((index) => `{"k${index}":`, '}'),
  };
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap that the parsed text holds: the middle of five, as what was left from before may be collected meanwhile. */
function memoryOf(text: string): number {
  const measured = Array.from({ length: 5 }, () => growthBy(text)).sort((a, b) => a - b);
  return measured[2] ?? 0;
}

function growthBy(text: string): number {
  const used = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  const parsed: unknown = JSON.parse(text);
  const after = used();
  // Still held when it was measured.
  expect(parsed).toBeTypeOf('object');
  return after - before;
}
