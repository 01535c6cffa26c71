import type { Logger } from 'pino';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { PolicyStore } from '../../cluster/sources/policy-store.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { ExtraResults } from '../reports/extra-results.ts';
import type { ReportSettings } from '../reports/reports-setting.ts';
import type { VerdictSettings } from './judged-workload.ts';

/** The dependencies of the scan. Times are in milliseconds. */
export interface ScanDependencies {
  readonly client: ApiClient;
  /** The kinds that may hold Pod templates. Those that the API server has are watched. */
  readonly kinds: readonly WorkloadKind[];
  readonly store: PolicyStore;
  /** True for a namespace that the webhook leaves out. Workloads there have no verdict and no report. */
  readonly isExempt: (namespace: string) => boolean;
  readonly extraResults: ExtraResults;
  readonly settings: VerdictSettings;
  readonly reportSettings: ReportSettings;
  readonly scanInterval: number;
  readonly watchRenewal: number;
  readonly log: Logger;
  /** The wall clock, since the epoch. */
  readonly now: () => number;
  /** Never goes back. */
  readonly monotonic: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}
