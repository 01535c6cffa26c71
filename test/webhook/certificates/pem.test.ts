import { describe, expect, it } from 'vitest';
import { bundleHolds, bundleOf, certificatesIn, servingPair } from '../../../src/webhook/certificates/pem.ts';
import { createAuthority } from '../../../src/webhook/certificates/certificate-authority.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;
const [one, two, old] = await Promise.all([
  createAuthority('one', NOW, DAY),
  createAuthority('two', NOW, 2 * DAY),
  createAuthority('old', NOW - 2 * DAY, DAY),
]);
/** The same certificate, written by somebody who ends lines in another way. */
const otherwiseWritten = `# a comment\r\n${one.cert.replaceAll('\n', '\r\n')}\r\n\r\n`;
const spoilt = one.cert.replace(/[A-Za-z0-9+/]{60}\n/, 'AAAA\n');

describe('a pair to serve with', () => {
  it('has the instant at which the certificate ends, and may be over', () => {
    expect(servingPair(one.cert, one.key)).toEqual({ cert: one.cert, key: one.key, notAfter: one.notAfter });
    expect(servingPair(old.cert, old.key).notAfter).toBeLessThan(NOW);
  });

  it.each([
    ['no certificate', 'no PEM', one.key, /^the certificate is not PEM-encoded X\.509: /],
    ['no key', one.cert, 'no PEM', /^the key is not a PEM-encoded private key: /],
    ['the key of another', one.cert, two.key, /^the certificate and the key do not belong together$/],
    ['a chain with a spoilt end', one.cert + spoilt, one.key, /^the certificate chain cannot be served: /],
  ])('is refused with %s', (_what, cert, key, problem) => {
    expect(() => servingPair(cert, key)).toThrow(problem);
  });
});

describe('bundleOf', () => {
  it('keeps the order of what it is given', () =>
    expect(bundleOf([two.cert, one.cert], NOW)).toBe(two.cert + one.cert));

  it('has each certificate once, however it was written', () =>
    expect(bundleOf([one.cert, two.cert + otherwiseWritten, one.cert], NOW)).toBe(one.cert + two.cert));

  it('drops what has expired, at the very moment', () => {
    expect(bundleOf([old.cert, one.cert, two.cert], NOW)).toBe(one.cert + two.cert);
    expect(bundleOf([one.cert, two.cert], one.notAfter)).toBe(two.cert);
    expect(bundleOf([one.cert, two.cert], one.notAfter - 1)).toBe(one.cert + two.cert);
  });

  it('leaves out what cannot be read', () => expect(bundleOf(['', 'no PEM', spoilt, two.cert], NOW)).toBe(two.cert));
});

describe('bundleHolds', () => {
  it('goes by the bytes of the certificate, not by its name or its text', async () => {
    const namesake = await createAuthority('one', NOW, DAY);
    expect(bundleHolds(two.cert + otherwiseWritten, one.cert)).toBe(true);
    expect(bundleHolds(two.cert + namesake.cert, one.cert)).toBe(false);
  });

  it.each([
    ['an empty bundle', ''],
    ['a bundle that is no PEM', 'Cg=='],
    ['a bundle with a certificate that cannot be read', one.cert + spoilt],
    ['half a certificate', one.cert.slice(0, 200)],
  ])('%s holds nothing', (_what, bundle) => {
    expect(certificatesIn(bundle)).toEqual([]);
    expect(bundleHolds(bundle, one.cert)).toBe(false);
  });

  it('holds several certificates when it holds each of them', () => {
    expect(bundleHolds(two.cert + one.cert, one.cert + two.cert)).toBe(true);
    expect(bundleHolds(one.cert, one.cert + two.cert)).toBe(false);
    expect(bundleHolds(one.cert, two.cert + one.cert)).toBe(false);
  });

  it('holds no certificate that is none', () => expect(bundleHolds(one.cert, '')).toBe(false));
});
