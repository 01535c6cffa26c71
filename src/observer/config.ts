import type { Enforcement, MutationMode } from '../engine/verdict/modes.ts';
import type { ReportsSetting } from './reports/reports-setting.ts';
import type { ConnectionConfig } from '../process/cluster-connection.ts';
import type { LogLevel } from '../process/log-level.ts';

/** The settings of `probewright observe`. Durations are in milliseconds. */
export interface ObserveConfig {
  /** Directory with policies, the lowest layer; undefined = the cluster's only. */
  readonly policies: string | undefined;
  readonly host: string;
  readonly healthPort: number;
  /** Port of the page about all workloads; undefined = there is none. */
  readonly dashboardPort: number | undefined;
  /** The settings of the webhook, so that both give the same verdict. */
  readonly enforcement: Enforcement;
  readonly mutation: MutationMode;
  readonly logLevel: LogLevel;
  /** File with custom kinds; undefined = the built-in and ready-made ones. */
  readonly workloadKinds: string | undefined;
  readonly cluster: ConnectionConfig;
  readonly scanInterval: number;
  /** Name of the MutatingWebhookConfiguration: its selectors tell which Pods the webhook sees. */
  readonly webhookConfiguration: string;
  /** Namespaces that the webhook configurations exempt; undefined = the chart's, and Probewright's own. */
  readonly exemptNamespaces: readonly string[] | undefined;
  readonly reports: ReportsSetting;
  readonly reportsIncludeClean: boolean;
  /** Measures starts, and writes StartupProfiles. */
  readonly learnsStarts: boolean;
}
