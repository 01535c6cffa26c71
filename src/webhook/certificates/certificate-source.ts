import type { ClockAndRandom } from '../../cluster/client/timing.ts';
import type { ServingPair } from './pem.ts';

/** Where the serving pair comes from. */
export interface CertificateSource {
  /** Reads the first pair. Rejects when there is none: a server without a certificate cannot serve. */
  start(listener: CertificateListener): Promise<ServingPair>;
  stop(): void;
  /** Why the newest pair cannot be used; the last good pair is served meanwhile. Undefined when nothing is wrong. */
  problem(): string | undefined;
  /** Says whether this replica leads. Can be called at any time, also before start. Absent outside a cluster. */
  lead?(isLeader: boolean): void;
  status?(): CertificateStatus;
}

export interface CertificateListener<T = ServingPair> {
  readonly changed: (value: T) => void;
  readonly failed: (problem: string) => void;
}

/** How the certificates of a cluster are doing. Times are in milliseconds since the epoch. */
export interface CertificateStatus {
  /** The end of Probewright's own CA, and of the one that is to follow it. */
  readonly caNotAfter?: number | undefined;
  readonly nextNotAfter?: number | undefined;
  /** Whether each configuration trusts all that it should; undefined for one that does not exist, or without a CA. */
  readonly bundleSynced: Readonly<Record<'mutating' | 'validating', boolean | undefined>>;
  /** How often one kind of write had one result. */
  readonly writes: readonly { readonly step: string; readonly result: string; readonly count: number }[];
}

export interface CertificateDependencies extends ClockAndRandom {
  readonly log: Readonly<Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>>;
  readonly watchRenewalMilliseconds?: number;
}
