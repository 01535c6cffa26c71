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
  readonly denialContact?: string | undefined;
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
  /** Names of Mutating- and ValidatingWebhookConfigurations; one that does not exist is waited for. */
  readonly webhookConfigurations: readonly string[];
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
