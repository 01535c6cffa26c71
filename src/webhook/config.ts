import type { TrustedControllers } from './review/trusted-controllers.ts';
import type { Enforcement, MutationMode } from '../engine/policy/action.ts';
import type { ClusterConnection, ConnectionConfig } from '../process/cluster.ts';
import type { LogLevel } from '../process/log-level.ts';
import type { Logger } from 'pino';

/** What the server takes from the process. Clocks are in milliseconds. */
export interface ServeDependencies {
  readonly log: Logger;
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Tells the person who started the process, beside the log. */
  readonly notice: (text: string) => void;
}

export interface ServeConfig {
  /** Directory with policies; undefined = the cluster's only. */
  readonly policies: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly healthPort: number;
  /** Both or neither. Without them: from the cluster; without a cluster, a development pair. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** File with the CAs that must have signed callers' certificates; undefined = callers need no certificate. */
  readonly clientCa: string | undefined;
  /** Common names of the callers that may call; empty = any name in a certificate of those CAs. */
  readonly clientNames: readonly string[];
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly controllers: TrustedControllers;
  readonly logLevel: LogLevel;
  readonly drainSeconds: number;
  /** File with custom kinds; undefined = the built-in and ready-made ones. */
  readonly workloadKinds: string | undefined;
  readonly cluster: ClusterConfig | undefined;
}

/** The settings that count with a cluster only. Durations are in milliseconds. */
export interface ClusterConfig extends ConnectionConfig {
  readonly serviceName: string;
  readonly webhookConfigurations: string;
  readonly caSecret: string;
  /** A Secret with the serving pair; undefined = a certificate of Probewright's own CA, or files. */
  readonly tlsSecret: string | undefined;
  readonly caLifetime: number;
  readonly leafLifetime: number;
  readonly caOverlap: number;
  readonly certificateCheck: number;
  readonly policyImpact: boolean;
  /** Namespaces that the webhook configurations exempt; undefined = those that the chart always exempts. */
  readonly exemptNamespaces: readonly string[] | undefined;
}

export type ServeConnection = ClusterConnection<ClusterConfig>;

/** Every served certificate is trusted and a leader is always found. `npm run generate:chart` writes them. */
export const DURATION_LIMITS = {
  /**
   * A rotation begins in the last third of a CA's life. It takes one overlap before the new CA signs and, after that,
   * the life of the last leaf and another overlap.
   */
  rotationsInCaLifetime: 3,
  overlapsInRotation: 2,
  /** A renewal that fails is tried again several times before the leaf ends. */
  checksInLeafLifetime: 6,
  /** The leader may miss one renewal of the Lease and still stay the leader. */
  renewalsInLeaseDuration: 3,
  /**
   * The API server counts a watch in whole seconds. A quiet collection is heard of once a renewal, which must be well
   * below the 10 minutes of the alert ProbewrightConfigStale.
   */
  leastWatchRenewal: 2_000,
  mostWatchRenewal: 300_000,
  /** In milliseconds: 100 years. Longer than any setting here makes sense, and short of what a date can hold. */
  mostDuration: 100 * 365 * 86_400_000,
} as const;
