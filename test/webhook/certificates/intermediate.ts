import { createPrivateKey, webcrypto } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import type { CertificateAuthority } from '../../../src/webhook/certificates/trust-root.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A CA that another CA has signed. */
export async function makeIntermediate(
  root: CertificateAuthority,
  name: string,
  now: number,
  lifetime: number,
): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const der = createPrivateKey(root.key).export({ type: 'pkcs8', format: 'der' });
  const [notBefore, notAfter] = [now - 3_600_000, now + lifetime];
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: new x509.X509Certificate(root.cert).subjectName,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { cert: `${certificate.toString('pem')}\n`, key: `${key}\n`, notBefore, notAfter };
}
