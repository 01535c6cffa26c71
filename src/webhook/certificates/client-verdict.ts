import { certificatesIn } from './ca-bundle.ts';
import { certificateFields } from './certificate-fields.ts';
import { addressProblem, dnsNameProblem } from './name-constraints.ts';
import { messageOf } from '../../base/text/error-message.ts';
import type { X509Certificate } from 'node:crypto';
import type { CertificateFields } from './certificate-fields.ts';

/** A certificate on the way from the leaf to a root. */
interface Link {
  readonly certificate: X509Certificate;
  readonly fields: CertificateFields;
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';
/** MD2, MD5 and SHA-1 with RSA, DSA and ECDSA with SHA-1: Go takes no signature of these. */
const INSECURE_SIGNATURES: readonly string[] = [
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
];
/** How the verdict begins on a chain that leads to no root at all. */
export const UNSIGNED = 'no CA that is trusted has signed it';
/** Go verifies at most this many signatures for one chain. */
const MOST_SIGNATURES = 100;

/**
 * Why the API server would refuse a server with this chain; undefined when the API server would accept it. The rules
 * are those of Go's crypto/x509, which differ from OpenSSL's: names are compared byte for byte, name constraints hold
 * for every name of the leaf, the common name is not looked at, and the extended key usage of each CA, the root
 * included, must allow serverAuth.
 *
 * @param chain the leaf, then intermediate certificates in any order, PEM
 * @param roots what the API server trusts, PEM
 * @param host the name that the API server calls the server by
 * @param now the wall clock, in milliseconds since the epoch
 */
export function clientVerdict(chain: string, roots: string, host: string, now: number): string | undefined {
  try {
    const [leaf, ...intermediates] = certificatesIn(chain).map(link);
    if (leaf === undefined) return 'the chain is not PEM-encoded X.509';
    const nameProblem = hostProblem(leaf, host);
    if (nameProblem !== undefined) return nameProblem;
    const verdicts = pathsFrom(leaf, intermediates, certificatesIn(roots).map(link)).map((path) =>
      pathProblem(path, now),
    );
    if (verdicts.length === 0) return `${UNSIGNED}: its issuer is ${oneLine(leaf.certificate.issuer)}`;
    return verdicts.includes(undefined) ? undefined : verdicts[0];
  } catch (error) {
    return `a certificate cannot be read: ${messageOf(error)}`;
  }
}

function link(certificate: X509Certificate): Link {
  return { certificate, fields: certificateFields(certificate.raw) };
}

function hostProblem({ certificate, fields }: Link, host: string): string | undefined {
  const options = { subject: 'never', partialWildcards: false } as const;
  if (certificate.checkHost(host, options) !== undefined) return undefined;
  const names = fields.dnsNames.length === 0 ? 'no DNS names' : fields.dnsNames.join(', ');
  return `it is not for ${host}: its subject alternative names are ${names}`;
}

/** All ways from the leaf to a root, the leaf first. */
function pathsFrom(leaf: Link, intermediates: readonly Link[], roots: readonly Link[]): readonly (readonly Link[])[] {
  let signatures = 0;
  const isParent = (child: Link, parent: Link): boolean =>
    child.fields.issuer.equals(parent.fields.subject) &&
    signatures++ < MOST_SIGNATURES &&
    child.certificate.verify(parent.certificate.publicKey);
  const onward = (path: readonly Link[], child: Link): readonly (readonly Link[])[] => [
    ...roots.filter((root) => isParent(child, root)).map((root) => [...path, root]),
    ...intermediates
      .filter((other) => !path.includes(other) && isParent(child, other))
      .flatMap((other) => onward([...path, other], other)),
  ];
  const isRoot = roots.some(({ certificate }) => certificate.raw.equals(leaf.certificate.raw));
  return isRoot ? [[leaf]] : onward([leaf], leaf);
}

function pathProblem(path: readonly Link[], now: number): string | undefined {
  const [leaf] = path;
  for (const [index, each] of path.entries()) {
    const what = index === 0 ? '' : `the CA ${oneLine(each.certificate.subject)}: `;
    const problem =
      ownProblem(each, now) ??
      (index === 0 ? undefined : issuerProblem(each, index - 1)) ??
      (index === 0 || leaf === undefined ? undefined : constraintProblem(each, leaf)) ??
      (index === path.length - 1 ? undefined : signatureProblem(each));
    if (problem !== undefined) return `${what}${problem}`;
  }
  return undefined;
}

/** The first rule that a certificate of a chain breaks by itself. */
function ownProblem({ certificate, fields }: Link, now: number): string | undefined {
  if (fields.unknownCritical.length > 0)
    return `its critical extension ${fields.unknownCritical.join(', ')} is not known to clients`;
  const [from, to] = [certificate.validFromDate, certificate.validToDate];
  if (now < from.getTime()) return `it is not valid before ${from.toISOString()}`;
  if (now > to.getTime()) return `it has expired at ${to.toISOString()}`;
  const { extendedKeyUsage: usages } = fields;
  if (usages.length === 0 || usages.includes(SERVER_AUTH) || usages.includes(ANY_USAGE)) return undefined;
  return 'its extended key usage does not allow serverAuth';
}

/** @param below how many CAs are between it and the leaf */
function issuerProblem({ fields }: Link, below: number): string | undefined {
  const { basicConstraints, maySignCertificates } = fields;
  if (basicConstraints?.isCa !== true) return 'its basic constraints do not say that it is a CA';
  if (maySignCertificates === false) return 'its key usage lacks keyCertSign';
  const { pathLength } = basicConstraints;
  if (pathLength !== undefined && below > pathLength)
    return `its path length ${pathLength} does not allow ${below} CAs below it`;
  return undefined;
}

function constraintProblem({ fields: { nameConstraints } }: Link, { fields: leaf }: Link): string | undefined {
  if (nameConstraints === undefined) return undefined;
  const problems = [
    ...leaf.dnsNames.map((name) => dnsNameProblem(name, nameConstraints)),
    ...leaf.addresses.map((address) => addressProblem(address, nameConstraints)),
  ];
  return problems.find((problem) => problem !== undefined);
}

function signatureProblem({ fields: { signatureAlgorithm } }: Link): string | undefined {
  return INSECURE_SIGNATURES.includes(signatureAlgorithm) ? 'it is signed with MD5 or SHA-1' : undefined;
}

/** Node gives each part of a name on a line of its own. */
function oneLine(name: string): string {
  return JSON.stringify(name.replaceAll('\n', ', '));
}
