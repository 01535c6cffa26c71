import { SecretCertificates } from './certificates/secret-certificates.ts';
import { bundlesSynced, certificateSettings, withWatchRenewal } from './cluster-certificates.ts';
import type { OpenedCertificates } from './certificate-part.ts';
import type { ServeConnection } from './config.ts';
import type { OpeningDependencies } from './opening-dependencies.ts';

/** Serving certificates from a Secret that somebody else keeps up to date. */
export function secretCertificates(
  connection: ServeConnection,
  secretName: string,
  dependencies: OpeningDependencies,
): OpenedCertificates {
  const settings = { ...certificateSettings(connection), secretName };
  const source = new SecretCertificates(connection.client, settings, withWatchRenewal(connection, dependencies));
  return {
    source,
    isFromFiles: false,
    lead: (isLeader) => {
      source.lead(isLeader);
    },
    metrics: { bundlesSynced: () => bundlesSynced(source.status()) },
  };
}
