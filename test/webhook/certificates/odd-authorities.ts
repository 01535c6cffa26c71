import { webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { CertificateAuthority } from '../../../src/webhook/certificates/trust-root.ts';

/** A CA that somebody else has made, with a key that Probewright can use. */
export interface OddAuthority {
  readonly what: string;
  readonly authority: CertificateAuthority;
  /** Why clients refuse what it signs; undefined for one that they accept. */
  readonly problem: string | undefined;
  /** OpenSSL judges it otherwise than Go does. */
  readonly isGoOnly: boolean;
}

/** How a CA differs from an ordinary one. */
export interface Oddity {
  readonly subject?: x509.JsonName;
  /** Undefined leaves the extension out. */
  readonly basicConstraints?: x509.BasicConstraintsExtension | undefined;
  readonly keyUsage?: x509.KeyUsageFlags;
  readonly extra?: readonly x509.Extension[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR = 3_600_000;

/** A CA of a day that has signed itself. */
export async function makeOddAuthority(oddity: Oddity, now: number): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [now - HOUR, now + 24 * HOUR];
  const basic =
    'basicConstraints' in oddity ? oddity.basicConstraints : new x509.BasicConstraintsExtension(true, 0, true);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: oddity.subject ?? [{ CN: ['odd'] }],
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    extensions: [
      ...(basic === undefined ? [] : [basic]),
      new x509.KeyUsagesExtension(oddity.keyUsage ?? x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(oddity.extra ?? []),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: `${certificate.toString('pem')}\n`, key: `${key}\n`, notBefore, notAfter };
}

/** CAs of all kinds, for a server of this name. */
export async function oddAuthorities(host: string, now: number): Promise<readonly OddAuthority[]> {
  const usage = (...usages: string[]): Oddity => ({ extra: [new x509.ExtendedKeyUsageExtension(usages)] });
  const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
  const constraints = (value: Buffer, isCritical = true): Oddity => ({
    extra: [new x509.Extension('2.5.29.30', isCritical, value)],
  });
  const rest = host.slice(host.indexOf('.') + 1);
  const tail = host.split('.').at(-1) ?? '';
  const cases: readonly (readonly [string, Oddity, string | undefined, 'Go only'?])[] = [
    ['without oddities', {}, undefined],
    ['for any extended key usage', usage('2.5.29.37.0'), undefined, 'Go only'],
    ['for servers and clients', usage(clientAuth, serverAuth), undefined],
    ['for clients only', usage(clientAuth), 'its extended key usage does not allow serverAuth'],
    ['for other names', constraints(permitted(dnsName('example.com'))), 'permit only "example.com", not'],
    ['for names below one only', constraints(permitted(dnsName(`.${host}`))), `permit only ".${host}", not`],
    ['for other names, and not critically so', constraints(permitted(dnsName('example.com')), false), 'permit only'],
    ['for all names but ours', constraints(excluded(dnsName(tail))), `exclude "${tail}", and so`],
    ['for all Services', constraints(permitted(dnsName(tail))), undefined],
    ['for the Services of our namespace', constraints(permitted(dnsName(`.${rest}`))), undefined],
    ['for some IP addresses and all names', constraints(permitted(ipRange())), undefined],
    ['for all names but one', constraints(excluded(dnsName('example.com'))), undefined],
    [
      'for some directory names',
      constraints(permitted(directoryName())),
      'critical extension 2.5.29.30 is not known',
      'Go only',
    ],
    ['with constraints that say nothing', constraints(der(0x30)), 'its name constraints are empty', 'Go only'],
    [
      'that is no CA',
      { basicConstraints: new x509.BasicConstraintsExtension(false, undefined, true) },
      'its basic constraints do not say that it is a CA',
    ],
    [
      'without basic constraints',
      { basicConstraints: undefined },
      'its basic constraints do not say that it is a CA',
      'Go only',
    ],
    ['whose key may sign CRLs only', { keyUsage: x509.KeyUsageFlags.cRLSign }, 'its key usage lacks keyCertSign'],
    [
      'with a critical extension that nobody knows',
      { extra: [new x509.Extension('1.2.3.4.5', true, der(0x05))] },
      'critical extension 1.2.3.4.5 is not known',
    ],
    ['with an extension that nobody knows', { extra: [new x509.Extension('1.2.3.4.5', false, der(0x05))] }, undefined],
    ['with a name in all kinds of letters', { subject: [{ O: ['Größe', '日本'] }, { CN: ['x, y+z="1"'] }] }, undefined],
  ];
  return Promise.all(
    cases.map(async ([what, oddity, problem, scope]) => {
      const authority = await makeOddAuthority(oddity, now);
      return { what, authority, problem, isGoOnly: scope !== undefined };
    }),
  );
}

/** An element of DER with less than 128 bytes in it. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}

function permitted(name: Buffer): Buffer {
  return der(0x30, der(0xa0, der(0x30, name)));
}

function excluded(name: Buffer): Buffer {
  return der(0x30, der(0xa1, der(0x30, name)));
}

function dnsName(name: string): Buffer {
  return der(0x82, Buffer.from(name));
}

function ipRange(): Buffer {
  return der(0x87, Buffer.of(10, 0, 0, 0, 255, 0, 0, 0));
}

function directoryName(): Buffer {
  return der(0xa4, der(0x30));
}
