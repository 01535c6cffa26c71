import { CertificateFiles } from './certificates/certificate-files.ts';
import type { CertificateOrigin } from './certificate-origin.ts';
import type { OpenedCertificates } from './certificate-part.ts';
import type { OpeningDependencies } from './opening-dependencies.ts';

/**
 * Opens the source of the serving pair and logs which one it is. Only a development pair is made and read here;
 * everything else is read when the source starts. Rejects with an Error for people when a development pair cannot be
 * made.
 */
export async function openCertificates(
  origin: CertificateOrigin,
  dependencies: OpeningDependencies,
): Promise<OpenedCertificates> {
  const chosen = (fields: object): void => {
    dependencies.log.info({ origin: origin.kind, ...fields }, 'serving certificate chosen');
  };
  switch (origin.kind) {
    case 'files': {
      const { certFile, keyFile } = origin;
      chosen({ certFile, keyFile });
      return fromFiles(certFile, keyFile);
    }
    case 'development': {
      const { caFile, certFile, keyFile } = await makeDevelopmentPair(origin.directory, dependencies.now());
      chosen({ certFile, keyFile, caFile });
      dependencies.notice(`development certificate for localhost; its CA is ${caFile}`);
      return fromFiles(certFile, keyFile);
    }
    case 'own-ca': {
      const { namespace, config } = origin.connection;
      chosen({ namespace, secret: config.caSecret });
      // Loaded when needed only: the library that makes certificates takes time and memory.
      const { ownCaCertificates } = await import('./own-ca-certificates.ts');
      return ownCaCertificates(origin.connection, dependencies);
    }
    case 'secret': {
      const { connection, secretName } = origin;
      chosen({ namespace: connection.namespace, secret: secretName });
      const { secretCertificates } = await import('./tls-secret-certificates.ts');
      return secretCertificates(connection, secretName, dependencies);
    }
  }
}

function fromFiles(certFile: string, keyFile: string): OpenedCertificates {
  return { source: new CertificateFiles(certFile, keyFile), isFromFiles: true, metrics: {} };
}

async function makeDevelopmentPair(
  directory: string,
  now: number,
): Promise<{ readonly caFile: string; readonly certFile: string; readonly keyFile: string }> {
  // Loaded when needed only, as above.
  const { developmentPair } = await import('./certificates/development-pair.ts');
  return developmentPair(directory, now).catch((error: unknown) => {
    throw new Error(
      `no --tls-cert and --tls-key, and no development pair can be made in ${directory}/: ${String(error)}`,
      { cause: error },
    );
  });
}
