import type { CertificateSource } from './certificates/certificate-source.ts';
import type { MetricSources } from './http/metric-sources.ts';
import type { Part } from '../process/part.ts';
import type { ServingTls } from './serving-tls.ts';

/** A source of serving pairs, and what else comes with this kind of source. */
export interface OpenedCertificates {
  readonly source: CertificateSource;
  /** Whether the pair comes from files. */
  readonly isFromFiles: boolean;
  readonly lead?: (isLeader: boolean) => void;
  readonly metrics: Pick<Partial<MetricSources>, 'certificateRotations' | 'bundlesSynced'>;
  /** When the CAs end, in milliseconds since the epoch. */
  readonly caExpiry?: () => { readonly ca: number | undefined; readonly next: number | undefined };
}

/**
 * The part that keeps the serving pair up to date. Starts once there is a pair, which in a cluster may take a while.
 */
export function certificatePart(certificates: OpenedCertificates, tls: ServingTls): Part<MetricSources> {
  const { source, isFromFiles, lead, caExpiry, metrics } = certificates;
  return {
    start: async () => {
      tls.begin(await source.start(tls.pairListener(isFromFiles)));
    },
    stop: () => {
      source.stop();
    },
    ...(lead && { lead }),
    metrics: {
      ...metrics,
      certificateExpiry: () => ({ leaf: tls.pair?.notAfter, ...caExpiry?.() }),
      certificateProblem: () => source.problem(),
    },
  };
}
