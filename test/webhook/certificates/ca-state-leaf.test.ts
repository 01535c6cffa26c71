import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLeafDue, renewalTime } from '../../../src/webhook/certificates/ca-state.ts';

const signer = { cert: 'ca', notBefore: 0, notAfter: 1_000_000_000 };
const served = { ca: 'ca', issuedAt: 100_000_000, renewAt: 200_000_000, notAfter: 300_000_000 };
const other = { ...served, ca: 'former' };

describe('a leaf is due', () => {
  it.each([
    ['when there is none, trusted or not', undefined, signer, false, 0, true],
    ['not while it is young', served, signer, true, 199_999_999, false],
    ['when its time has come', served, signer, true, 200_000_000, true],
    ['when its time has come, though a bundle was emptied', served, signer, false, 200_000_000, true],
    ['not when another would end no later', { ...served, notAfter: signer.notAfter }, signer, true, 900_000_000, false],
    ['at once when the CA is another and trusted', other, signer, true, 150_000_000, true],
    ['not while the other CA is not trusted', other, signer, false, 150_000_000, false],
    ['not while the other CA is not trusted, even to renew', other, signer, false, 250_000_000, false],
    ['when it has expired, whatever is trusted', other, signer, false, 300_000_000, true],
    [
      'not under another CA that begins in the future',
      other,
      { ...signer, notBefore: 160_000_000 },
      true,
      150_000_000,
      false,
    ],
    [
      'under another CA from the moment at which it begins',
      other,
      { ...signer, notBefore: 150_000_000 },
      true,
      150_000_000,
      true,
    ],
    ['never under an expired CA', undefined, signer, true, 1_000_000_000, false],
    ['when it was made while the clock was far ahead', served, signer, true, 1, true],
    ['not when the clock was set back by half an hour', served, signer, true, 98_200_000, false],
    ['when the clock was set back by more', served, signer, true, 98_199_999, true],
  ])('%s', (_when, leaf, by, isTrusted, now, expected) => {
    expect(isLeafDue(leaf, by, isTrusted, now)).toBe(expected);
  });

  it('after two thirds of its life, sooner or later by a tenth of that', () => {
    expect(renewalTime(1000, 4000, 0.5)).toBeCloseTo(3000);
    expect([renewalTime(0, 3000, 0), renewalTime(0, 3000, 1)].map(Math.round)).toEqual([1800, 2200]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
        const time = renewalTime(0, 3000, random);
        expect(time).toBeGreaterThanOrEqual(1799.999);
        expect(time).toBeLessThanOrEqual(2200.001);
      }),
    );
  });
});
