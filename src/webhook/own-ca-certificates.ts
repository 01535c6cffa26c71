import { OwnCertificates } from './certificates/own-certificates.ts';
import { bundlesSynced, certificateSettings, withWatchRenewal } from './cluster-certificates.ts';
import type { OpenedCertificates } from './certificate-part.ts';
import type { ServeConnection } from './config.ts';
import type { OpeningDependencies } from './opening-dependencies.ts';

/** Serving certificates of Probewright's own CA. */
export function ownCaCertificates(connection: ServeConnection, dependencies: OpeningDependencies): OpenedCertificates {
  const { caSecret, caLifetime, leafLifetime, caOverlap } = connection.config;
  const rotation = { secretName: caSecret, caLifetime, leafLifetime, overlap: caOverlap };
  const settings = { ...certificateSettings(connection), ...rotation };
  const source = new OwnCertificates(connection.client, settings, withWatchRenewal(connection, dependencies));
  return {
    source,
    isFromFiles: false,
    lead: (isLeader) => {
      source.lead(isLeader);
    },
    metrics: {
      certificateRotations: () => source.status().writes,
      bundlesSynced: () => bundlesSynced(source.status()),
    },
    caExpiry: () => {
      const { caNotAfter, nextNotAfter } = source.status();
      return { ca: caNotAfter, next: nextNotAfter };
    },
  };
}
