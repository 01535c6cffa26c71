import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShortBody } from '../../src/server/short-body.ts';

describe('the body of a short review', () => {
  it('is the same text in whatever chunks it comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(40), { maxLength: 5 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const body = new ShortBody(bytes.length);
        const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
          (a, b) => a - b,
        );
        for (const [index, start] of places.entries()) body.add(bytes.subarray(start, places[index + 1] ?? start));
        expect(body.take()).toBe(text);
      }),
    );
  });

  it('is what has come, when less comes than was announced', () => {
    const body = new ShortBody(10);
    body.add(Buffer.from('{"a'));
    expect(body.take()).toBe('{"a');
  });

  it('is empty without a chunk', () => {
    expect(new ShortBody(0).take()).toBe('');
  });
});
