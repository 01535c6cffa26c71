import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/webhook/certificates/certificate-authority.ts';
import { clientVerdict } from '../../../src/webhook/certificates/client-verdict.ts';
import { makeServingPair } from '../../support/certificate.ts';
import { makeIntermediate } from './intermediate.ts';
import { makeOddAuthority, oddAuthorities } from './odd-authorities.ts';
import { HOST } from './own-world.ts';
import { TlsService } from './tls-service.ts';

const NOW = Date.now();
const DAY = 86_400_000;
const NAMES = { commonName: 'x', dns: ['probewright', 'probewright.system', HOST] };
const authorities = await oddAuthorities(HOST, NOW);
const root = await createAuthority('root', NOW, 30 * DAY);
const leaf = await issueLeaf(root, NAMES, NOW, 7 * DAY);
/** A root that allows CAs below it. */
const deep = await makeOddAuthority(
  { basicConstraints: new x509.BasicConstraintsExtension(true, undefined, true) },
  NOW,
);

describe('what a CA has signed', () => {
  it.each(authorities)('is accepted or refused: a CA $what', async ({ authority, problem }) => {
    const pair = await issueLeaf(authority, { commonName: 'x', dns: [HOST] }, NOW, DAY);
    const verdict = clientVerdict(pair.cert, authority.cert, HOST, NOW);
    if (problem === undefined) expect(verdict).toBeUndefined();
    else expect(verdict).toContain(problem);
  });

  // test/e2e/client-verdict.test.ts compares all of them with Go.
  const common = authorities.filter(({ isGoOnly }) => !isGoOnly);
  it.each(common)('is judged as OpenSSL judges it: a CA $what', async ({ authority, problem }) => {
    const pair = await issueLeaf(authority, { commonName: 'x', dns: [HOST] }, NOW, DAY);
    const service = new TlsService();
    await service.start(pair);
    const isAccepted = await service.connect(authority.cert).then(
      () => true,
      () => false,
    );
    expect(isAccepted).toBe(problem === undefined);
  });

  it('is refused when the CA permits the name of the call but not every name of the leaf', async () => {
    const only = Buffer.from(HOST);
    const subtree = Buffer.concat([Buffer.of(0x30, only.length + 2, 0x82, only.length), only]);
    const value = Buffer.concat([Buffer.of(0x30, subtree.length + 2, 0xa0, subtree.length), subtree]);
    const narrow = await makeOddAuthority({ extra: [new x509.Extension('2.5.29.30', true, value)] }, NOW);
    const one = await issueLeaf(narrow, { commonName: 'x', dns: [HOST] }, NOW, DAY);
    const all = await issueLeaf(narrow, NAMES, NOW, DAY);
    expect(clientVerdict(one.cert, narrow.cert, HOST, NOW)).toBeUndefined();
    expect(clientVerdict(all.cert, narrow.cert, HOST, NOW)).toContain(`permit only "${HOST}", not probewright`);
  });
});

describe('a chain', () => {
  it('with an intermediate CA is accepted', async () => {
    const middle = await makeIntermediate(deep, 'middle', NOW, DAY);
    const pair = await issueLeaf(middle, NAMES, NOW, DAY);
    expect(clientVerdict(pair.cert + middle.cert, deep.cert, HOST, NOW)).toBeUndefined();
    expect(clientVerdict(pair.cert, middle.cert, HOST, NOW)).toBeUndefined();
    expect(clientVerdict(pair.cert, deep.cert, HOST, NOW)).toContain('no CA that is trusted has signed it');
  });

  it('is refused when its root allows no CA below it', async () => {
    const middle = await makeIntermediate(root, 'middle', NOW, DAY);
    const pair = await issueLeaf(middle, NAMES, NOW, DAY);
    expect(clientVerdict(pair.cert + middle.cert, root.cert, HOST, NOW)).toBe(
      'the CA "CN=root": its path length 0 does not allow 1 CAs below it',
    );
  });

  it('is refused when its root is for clients only, whatever its intermediate is for', async () => {
    const clients = await makeOddAuthority(
      {
        basicConstraints: new x509.BasicConstraintsExtension(true, undefined, true),
        extra: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      },
      NOW,
    );
    const middle = await makeIntermediate(clients, 'middle', NOW, DAY);
    const pair = await issueLeaf(middle, NAMES, NOW, DAY);
    expect(clientVerdict(pair.cert + middle.cert, clients.cert, HOST, NOW)).toBe(
      'the CA "CN=odd": its extended key usage does not allow serverAuth',
    );
  });

  it('is accepted when one of several ways to a root is good', async () => {
    const namesake = await makeOddAuthority(
      { subject: [{ CN: ['root'] }], extra: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])] },
      NOW,
    );
    expect(clientVerdict(leaf.cert, namesake.cert + root.cert, HOST, NOW)).toBeUndefined();
  });

  it.each([
    ['before it begins', NOW - 3_700_000, 'it is not valid before '],
    ['after it has ended', NOW + 8 * DAY, 'it has expired at '],
  ])('is refused %s', (_when, now, problem) => {
    expect(clientVerdict(leaf.cert, root.cert, HOST, now)).toContain(problem);
  });

  it('is refused when its CA has ended, though the leaf has not', async () => {
    const pair = await makeServingPair({ dnsNames: [HOST], notAfter: new Date(NOW + DAY) });
    expect(clientVerdict(pair.certPem, pair.caPem, HOST, NOW + DAY + 1000)).toContain('it has expired');
  });

  it.each([
    [
      'is for another name',
      ['other.system.svc'],
      `it is not for ${HOST}: its subject alternative names are other.system.svc`,
    ],
    [
      'has the name as its common name only',
      [],
      `it is not for ${HOST}: its subject alternative names are no DNS names`,
    ],
  ])('is refused when it %s', async (_what, dnsNames, problem) => {
    const pair = await makeServingPair({ commonName: HOST, dnsNames });
    expect(clientVerdict(pair.certPem, pair.caPem, HOST, NOW)).toBe(problem);
  });

  it('is refused when it cannot be read', () => {
    expect(clientVerdict('no PEM', root.cert, HOST, NOW)).toBe('the chain is not PEM-encoded X.509');
    expect(clientVerdict(leaf.cert, 'no PEM', HOST, NOW)).toBe(
      'no CA that is trusted has signed it: its issuer is "CN=root"',
    );
  });
});
