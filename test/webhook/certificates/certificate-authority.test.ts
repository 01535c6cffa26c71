import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import { X509Certificate as ParsedCertificate, KeyUsagesExtension, KeyUsageFlags } from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueLeaf } from '../../../src/webhook/certificates/certificate-authority.ts';

const NOW = Date.UTC(2026, 10, 21, 7, 23, 56);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NAMES = { commonName: 'webhook', dns: ['probewright', 'probewright.system', 'probewright.system.svc'] };

describe('a CA', () => {
  it('can sign leaves and nothing else, for as long as it was made for', async () => {
    const { cert, notBefore, notAfter } = await createAuthority('probewright CA x', NOW, 365 * DAY);
    const certificate = new X509Certificate(cert);
    expect(certificate.subject).toBe('CN=probewright CA x');
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect([notBefore, notAfter]).toEqual([NOW - HOUR, NOW + 365 * DAY]);
    expect([certificate.validFromDate.getTime(), certificate.validToDate.getTime()]).toEqual([notBefore, notAfter]);
    const parsed = new ParsedCertificate(cert);
    expect(parsed.signatureAlgorithm).toMatchObject({ name: 'ECDSA', hash: { name: 'SHA-256' } });
    expect(parsed.getExtension(KeyUsagesExtension)).toMatchObject({
      critical: true,
      usages: KeyUsageFlags.keyCertSign,
    });
    expect(parsed.getExtension('2.5.29.19')).toMatchObject({ critical: true, ca: true, pathLength: 0 });
    expect(parsed.getExtension('2.5.29.14')).not.toBeNull();
  });

  it('has a serial number of its own, positive and 127 bits long', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => createAuthority('x', NOW, DAY)));
    const serials = made.map(({ cert }) => new X509Certificate(cert).serialNumber);
    expect(new Set(serials).size).toBe(20);
    expect(new Set(serials.map((serial) => serial.slice(0, 2))).size).toBeGreaterThan(1);
    for (const serial of serials) expect(BigInt(`0x${serial}`).toString(2)).toHaveLength(127);
  });
});

describe('a leaf', () => {
  it('is signed by the CA, names it by its key, and is for the names that were given', async () => {
    const ca = await createAuthority('probewright CA x', NOW, 365 * DAY);
    const { cert, key, notAfter } = await issueLeaf(ca, NAMES, NOW, 7 * DAY);
    const leaf = new X509Certificate(cert);
    const issuer = new X509Certificate(ca.cert);
    expect(leaf.checkIssued(issuer)).toBe(true);
    expect(leaf.verify(issuer.publicKey)).toBe(true);
    expect(leaf.subjectAltName).toBe('DNS:probewright, DNS:probewright.system, DNS:probewright.system.svc');
    expect(leaf.subject).toBe('CN=webhook');
    expect(leaf.ca).toBe(false);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect([leaf.validFromDate.getTime(), leaf.validToDate.getTime()]).toEqual([NOW - HOUR, NOW + 7 * DAY]);
    expect(notAfter).toBe(NOW + 7 * DAY);
    expect(key).toContain('BEGIN PRIVATE KEY');
    const parsed = new ParsedCertificate(cert);
    expect(parsed.getExtension(KeyUsagesExtension)).toMatchObject({
      critical: true,
      usages: KeyUsageFlags.digitalSignature,
    });
    expect(parsed.getExtension('2.5.29.19')).toMatchObject({ critical: true, ca: false });
    const [authorityKey, subjectKey] = [parsed.getExtension('2.5.29.35'), new ParsedCertificate(ca.cert)];
    expect(authorityKey).toMatchObject({ keyId: (subjectKey.getExtension('2.5.29.14') as { keyId?: string }).keyId });
  });

  it('ends with the CA at the latest', async () => {
    const ca = await createAuthority('x', NOW, 3 * DAY);
    expect((await issueLeaf(ca, NAMES, NOW, 7 * DAY)).notAfter).toBe(ca.notAfter);
  });

  it('can be for more names than fit into a common name', async () => {
    const ca = await createAuthority('x', NOW, DAY);
    const [service, namespace] = ['s'.repeat(63), 'n'.repeat(63)];
    const { cert } = await issueLeaf(ca, { ...NAMES, dns: [`${service}.${namespace}.svc`] }, NOW, DAY);
    expect(new X509Certificate(cert).checkHost(`${service}.${namespace}.svc`)).toBe(`${service}.${namespace}.svc`);
  });
});
