import type { Logger } from 'pino';
import type { PodWatch } from './pod-watch.ts';
import type { ExtraResults } from './reports/extra-results.ts';
import type { ClusterConnection } from '../process/cluster-connection.ts';
import type { ClusterPolicies } from '../process/cluster-policies.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { ObserveConfig } from './config.ts';

/** The log and the clocks that the observer works with, in milliseconds. */
export interface ObserverClocks {
  readonly log: Logger;
  /** The wall clock, since the epoch. */
  readonly now: () => number;
  /** Never goes back. */
  readonly monotonic: () => number;
}

/** The inputs from which the parts of the observer are built. */
export interface ObserverInputs {
  readonly config: ObserveConfig;
  readonly connection: ClusterConnection;
  readonly store: PolicyStore;
  readonly kinds: readonly WorkloadKind[];
  /** True for a namespace whose objects the API server never sends to the webhooks. */
  readonly isExempt: (namespace: string) => boolean;
  /** Tells all parts that this replica leads, or leads no longer. */
  readonly lead: (isLeader: boolean) => void;
}

/** The inputs from which the observing parts are built. */
export interface ObservingInputs extends ObserverInputs, ObserverClocks {
  /** The watch of all Pods. A part adds its listener when the part is built. */
  readonly podWatch: PodWatch;
  readonly policies: ClusterPolicies;
  /** Findings that no check makes. They are written into the reports of their workloads. */
  readonly extraResults: ExtraResults;
}
