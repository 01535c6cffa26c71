import type { ServingPair } from './serving-pair.ts';

/** Where the serving pair comes from. */
export interface CertificateSource {
  /** Reads the first pair. Rejects when there is none: a server without a certificate cannot serve. */
  start(listener: CertificateListener): Promise<ServingPair>;
  stop(): void;
  /** What went wrong with the newest pair; the last good one is served meanwhile. */
  problem(): string | undefined;
}

/** What a certificate source tells as things change. */
export interface CertificateListener {
  readonly changed: (pair: ServingPair) => void;
  readonly failed: (problem: string) => void;
}
