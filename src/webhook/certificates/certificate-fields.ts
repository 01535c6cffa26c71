import { DER_TAGS, derElements, derObjectIdentifier, derSmallInteger } from './der.ts';
import { readNameConstraints } from './name-constraints.ts';
import type { DerElement } from './der.ts';
import type { NameConstraints } from './name-constraints.ts';

/** Fields of a certificate that verifying clients look at and Node's X509Certificate does not expose. */
export interface CertificateFields {
  /** The names as they are encoded: Go compares them byte for byte. */
  readonly subject: Buffer;
  readonly issuer: Buffer;
  /** Object identifier of the algorithm that it was signed with. */
  readonly signatureAlgorithm: string;
  /** Undefined without the extension. */
  readonly basicConstraints: { readonly isCa: boolean; readonly pathLength: number | undefined } | undefined;
  /**
   * Whether its key usage has keyCertSign; undefined without the extension, or when that allows nothing, which Go takes
   * for the same.
   */
  readonly maySignCertificates: boolean | undefined;
  /** Object identifiers; none without the extension. */
  readonly extendedKeyUsage: readonly string[];
  readonly nameConstraints: NameConstraints | undefined;
  readonly dnsNames: readonly string[];
  /** Each 4 or 16 bytes. */
  readonly addresses: readonly Buffer[];
  /** Critical extensions that Go does not know, by object identifier: it refuses the certificate. */
  readonly unknownCritical: readonly string[];
}

const OID = {
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  extendedKeyUsage: '2.5.29.37',
} as const;
/**
 * Besides those: subject and authority key identifiers, CRL distribution points, policies, authority information
 * access.
 */
const KNOWN: readonly string[] = [
  ...Object.values(OID),
  '2.5.29.14',
  '2.5.29.35',
  '2.5.29.31',
  '2.5.29.32',
  '1.3.6.1.5.5.7.1.1',
];

/** The tags of RFC 5280's TBSCertificate that are not universal. */
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
/** RFC 5280, 4.2.1.3: the sixth bit. */
const KEY_CERT_SIGN = 0x04;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

interface Extension {
  readonly id: string;
  readonly isCritical: boolean;
  readonly value: Buffer;
}

/**
 * Reads a certificate's DER. Throws an Error that says what cannot be read.
 *
 * @param raw as X509Certificate.raw gives it
 */
export function certificateFields(raw: Buffer): CertificateFields {
  const [whole] = derElements(raw);
  const [tbs] = inside(whole);
  const all = inside(tbs);
  const [, signature, issuer, , subject] = all[0]?.tag === VERSION ? all.slice(1) : all;
  if (signature === undefined || issuer === undefined || subject === undefined) throw new Error('it is no certificate');
  const extensions = readExtensions(all.find(({ tag }) => tag === EXTENSIONS));
  const value = (id: string): Buffer | undefined => extensions.find((extension) => extension.id === id)?.value;
  const read = <T>(id: string, reader: (bytes: Buffer) => T): T | undefined => {
    const bytes = value(id);
    return bytes && reader(bytes);
  };
  const nameConstraints = read(OID.nameConstraints, readNameConstraints);
  const names = inside(read(OID.subjectAltName, derElements)?.[0]);
  return {
    subject: subject.whole,
    issuer: issuer.whole,
    signatureAlgorithm: derObjectIdentifier(inside(signature)[0]?.content ?? Buffer.alloc(0)),
    basicConstraints: read(OID.basicConstraints, readBasicConstraints),
    maySignCertificates: read(OID.keyUsage, readMaySign),
    extendedKeyUsage: inside(read(OID.extendedKeyUsage, derElements)?.[0]).map(({ content }) =>
      derObjectIdentifier(content),
    ),
    nameConstraints,
    dnsNames: names.flatMap(({ tag, content }) => (tag === DNS_NAME ? [content.toString('latin1')] : [])),
    addresses: names.flatMap(({ tag, content }) => (tag === IP_ADDRESS ? [content] : [])),
    unknownCritical: extensions
      .filter(({ id, isCritical }) => isCritical && !isKnown(id, nameConstraints))
      .map(({ id }) => id),
  };
}

function isKnown(id: string, constraints: NameConstraints | undefined): boolean {
  return KNOWN.includes(id) && !(id === OID.nameConstraints && constraints?.hasUnknownKinds === true);
}

function readExtensions(element: DerElement | undefined): readonly Extension[] {
  return inside(inside(element)[0]).map((extension) => {
    const [id, ...rest] = inside(extension);
    const value = rest.at(-1);
    if (id === undefined || value?.tag !== DER_TAGS.octetString)
      throw new Error('one of its extensions cannot be read');
    const isCritical = rest.some(({ tag, content }) => tag === DER_TAGS.boolean && content[0] !== 0);
    return { id: derObjectIdentifier(id.content), isCritical, value: value.content };
  });
}

function readBasicConstraints(bytes: Buffer): CertificateFields['basicConstraints'] {
  const parts = inside(derElements(bytes)[0]);
  const length = parts.find(({ tag }) => tag === DER_TAGS.integer);
  return {
    isCa: parts.some(({ tag, content }) => tag === DER_TAGS.boolean && content[0] !== 0),
    pathLength: length && derSmallInteger(length.content),
  };
}

/** A BIT STRING: the number of bits that are not used, then the bits. */
function readMaySign(bytes: Buffer): boolean | undefined {
  const bits = derElements(bytes)[0]?.content.subarray(1) ?? Buffer.alloc(0);
  return bits.every((byte) => byte === 0) ? undefined : ((bits[0] ?? 0) & KEY_CERT_SIGN) !== 0;
}

function inside(element: DerElement | undefined): readonly DerElement[] {
  return element === undefined ? [] : derElements(element.content);
}
