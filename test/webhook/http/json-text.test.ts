import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { endOfString } from '../../../src/webhook/http/json-text.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('the closing quote is found behind whatever is escaped, wherever the string starts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: fc.constantFrom('"', '\\', 'a', 'ß') }), (before, value) => {
      const text = JSON.stringify(value);
      expect(endOfString(`${before}${text}, "more"`, before.length)).toBe(before.length + text.length - 1);
    }),
  );
});

it.each(['"', '"abc', '"abc\\', '"abc\\"', '"abc\\\\\\"'])('%s has no closing quote', (text) => {
  expect(endOfString(text, 0)).toBe(text.length);
});

it('a text of escaped quotes is not searched again behind each of them', () => {
  const text = `"${'\\"'.repeat(1000)}"`;
  const search = vi.spyOn(String.prototype, 'indexOf');
  const end = endOfString(text, 0);
  const searches = search.mock.calls.length;
  expect([end, searches <= 1]).toEqual([text.length - 1, true]);
});
