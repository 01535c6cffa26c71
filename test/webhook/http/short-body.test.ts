import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withoutManagedFields } from '../../../src/webhook/review/managed-fields.ts';
import { ShortBody } from '../../../src/webhook/http/short-body.ts';

const REVIEWS = join(import.meta.dirname, '../../fixtures/reviews');

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

  it.each(readdirSync(REVIEWS).filter((name) => name.endsWith('.json')))(
    'is without managedFields what the text is without managedFields: %s',
    (name) => {
      const review = JSON.parse(readFileSync(join(REVIEWS, name), 'utf8')) as object;
      // Letters of two and of four bytes move the places in the bytes away from those in the text.
      const text = JSON.stringify({ before: 'é😀', ...review, after: 'é😀' });
      const bytes = Buffer.from(text);
      const body = new ShortBody(bytes.length);
      body.add(bytes);
      expect(body.take()).toBe(withoutManagedFields(text));
    },
  );

  it('leaves the bytes around the body as they are: they belong to the next request', () => {
    const text = '{"m":{"name":"a","managedFields":[{"manager":"b"}]},"spec":{}}';
    const received = Buffer.from(`before${text}after`);
    const body = new ShortBody(text.length);
    body.add(received.subarray('before'.length, 'before'.length + text.length));
    expect(body.take()).toBe('{"m":{"name":"a"},"spec":{}}');
    expect(received.toString()).toMatch(/^before\{.*after$/);
  });

  it('is empty without a chunk', () => {
    expect(new ShortBody(0).take()).toBe('');
  });
});
