import type { ServingPair } from './serving-pair.ts';

/** Where the serving pair comes from. */
export interface CertificateSource {
  /** Reads the first pair. Rejects when there is none: a server without a certificate cannot serve. */
  start(listener: CertificateListener): Promise<ServingPair>;
  stop(): void;
  /** Why the newest pair cannot be used; the last good pair is served meanwhile. Undefined when nothing is wrong. */
  problem(): string | undefined;
}

/** The reports of a certificate source. */
export interface CertificateListener {
  readonly changed: (pair: ServingPair) => void;
  readonly failed: (problem: string) => void;
}
