import fc from 'fast-check';
import { deflateSync, strFromU8 } from 'fflate';
import { describe, expect, it } from 'vitest';
import { linkFragment, textsOfFragment } from '../../src/playground/share-link.ts';

const fragmentOf = (bytes: Uint8Array): string =>
  `v1:${btoa(strFromU8(deflateSync(bytes), true))
    .replaceAll('+', '-')
    .replaceAll('/', '_')}`;

describe('a link of the playground', () => {
  it('gives back all texts, in characters that an address may have', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 3000 });
    fc.assert(
      fc.property(texts, texts, (manifests, policies) => {
        const fragment = linkFragment({ manifests, policies });
        expect(fragment).toMatch(/^v1:[\w-]+$/);
        expect(textsOfFragment(fragment)).toEqual({ manifests, policies });
      }),
    );
  });

  it('that is cut anywhere, or is no link, is refused', () => {
    const fragment = linkFragment({ manifests: 'kind: Pod\n'.repeat(9), policies: 'a' });
    for (let length = 0; length < fragment.length - 1; length++)
      expect(textsOfFragment(fragment.slice(0, length))).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void textsOfFragment(`v1:${text}`)));
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

  it('that expands to 100 MB is refused', () => {
    expect(textsOfFragment(fragmentOf(new Uint8Array(100_000_000)))).toBeUndefined();
  });
});
