import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_FRAGMENT, linkFragment, textsOfFragment } from '../../../src/package/playground/share-link.ts';

/** A link whose text is these bytes, with a checksum by Node. */
function fragmentOf(bytes: Uint8Array): string {
  // The zlib format has two bytes first, and ends with the Adler-32 checksum of its text.
  return `v2:${deflateSync(bytes).subarray(2).toString('base64url')}`;
}

describe('a link of the playground', () => {
  it('gives back all texts, in characters that an address may have', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 3000 });
    fc.assert(
      fc.property(texts, texts, (manifests, policies) => {
        const fragment = linkFragment({ manifests, policies });
        expect(fragment).toMatch(/^v2:[\w-]+$/);
        expect(textsOfFragment(fragment)).toEqual({ manifests, policies });
      }),
    );
  });

  it('that is cut anywhere, or is no link, is refused', () => {
    const fragment = linkFragment({ manifests: 'kind: Pod\n'.repeat(9), policies: 'a' });
    for (let length = 0; length < fragment.length - 1; length++)
      expect(textsOfFragment(fragment.slice(0, length))).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void textsOfFragment(`v2:${text}`)));
  });

  it('with one other character never opens other texts', () => {
    const texts = { manifests: 'kind: Pod\nmetadata: { name: web }\n'.repeat(3), policies: 'kind: ProbePolicy' };
    const fragment = linkFragment(texts);
    for (let at = 3; at < fragment.length; at++)
      for (const other of 'AZaz09-_') {
        const changed = fragment.slice(0, at) + other + fragment.slice(at + 1);
        expect([undefined, texts]).toContainEqual(textsOfFragment(changed));
      }
  });

  it('has the checksum of RFC 1950', () => {
    const texts = { manifests: 'kind: Pod', policies: '' };
    expect(textsOfFragment(fragmentOf(new TextEncoder().encode(JSON.stringify(texts))))).toEqual(texts);
  });

  it('with other values than two texts is refused', () => {
    for (const value of [
      'null',
      '[]',
      '{"manifests":"a"}',
      '{"manifests":1,"policies":"a"}',
      '{"__proto__":{"manifests":"a","policies":"a"}}',
      '{',
    ])
      expect(textsOfFragment(fragmentOf(new TextEncoder().encode(value)))).toBeUndefined();
    expect(textsOfFragment(fragmentOf(new Uint8Array([0xff, 0xfe])))).toBeUndefined();
  });

  it('that is longer than the page makes one is refused', () => {
    const manifests = randomBytes(60_000).toString('hex');
    const fragment = linkFragment({ manifests, policies: manifests.slice(0, 60_000) });
    expect(fragment.length).toBeGreaterThan(LONGEST_FRAGMENT);
    expect(textsOfFragment(fragment)).toBeUndefined();
  });

  it('that expands to 100 MB is refused', () =>
    expect(textsOfFragment(fragmentOf(new Uint8Array(100_000_000)))).toBeUndefined());
});
