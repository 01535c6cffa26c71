import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64OfUtf8, utf8Length, utf8OfBase64, shortHash } from '../../../src/base/text/utf8.ts';

/** Texts with every kind of character, lone surrogates among them. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: surrogates() }),
);

function surrogates(): fc.Arbitrary<string> {
  return fc.constantFrom('\ud83d', '\ude00', '\ud83d\ude00', 'é', '€', 'a', '\ufeff');
}

describe('texts as UTF-8', () => {
  it('have the length that Node says', () =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
    ));

  it('are written as base64 as Node writes them', () =>
    fc.assert(
      fc.property(texts, (text) => {
        expect(base64OfUtf8(text)).toBe(Buffer.from(text).toString('base64'));
      }),
    ));

  it('are read from base64 as Node reads them, also where the bytes are no UTF-8', () =>
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64');
        expect(utf8OfBase64(base64)).toBe(Buffer.from(bytes).toString('utf8'));
      }),
    ));
});

describe('the short hash of a text', () =>
  // The last 48 bits of the test vectors of Fowler, Noll and Vo for FNV-1a with 64 bits.
  it.each([
    ['', '9ce484222325'],
    ['a', 'dc4c8601ec8c'],
    ['foobar', '4171f73967e8'],
  ])('"%s" is %s', (text, hash) => expect(shortHash(text)).toBe(hash)));
