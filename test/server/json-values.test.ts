import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreValuesThan } from '../../src/server/json-values.ts';

/** Counted in the slow way, from what was parsed. */
function separators(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return 1 + Math.max(0, members.length - 1) + members.reduce<number>((sum, member) => sum + separators(member), 0);
}

describe('values of a JSON text', () => {
  it('are counted by commas and opening brackets, and not by what stands in strings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: fc.constantFrom(',', '[', '{', '"', '\\', 'a', '\n') }), (value) => {
        const text = JSON.stringify(value);
        const count = separators(value);
        expect(hasMoreValuesThan(count, text)).toBe(false);
        if (count > 0) expect(hasMoreValuesThan(count - 1, text)).toBe(true);
      }),
    );
  });

  it('are counted to the end of what is no JSON', () => {
    expect(hasMoreValuesThan(3, '"never closed \\",,,,,,')).toBe(false);
    expect(hasMoreValuesThan(3, ',,,,')).toBe(true);
    expect(hasMoreValuesThan(3, '"\\\\",,,,')).toBe(true);
  });
});
