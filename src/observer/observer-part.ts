import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Part } from '../process/part.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { PodWatch } from './pod-watch.ts';
import type { ReflectorContext } from '../cluster/client/reflector.ts';
import type { FailingWorkloads } from './failing/failing-workloads.ts';
import type { InForce } from './missed/missed-verdicts.ts';
import type { ExtraResults } from './reports/report-result.ts';

/** One part of the observer: a watch, the scan, the reports. */
export interface ObserverPart extends Part {
  readonly details?: () => Readonly<Record<string, unknown>>;
}

/** What the parts of the observer work with. Times are in milliseconds. */
export interface ObserverContext extends ReflectorContext {
  /** The kinds that may hold Pod templates. */
  readonly kinds: readonly WorkloadKind[];
  readonly store: PolicyStore;
  /** True for a namespace that the webhook leaves out. Workloads there have no verdict and no report. */
  readonly isExempt: (namespace: string) => boolean;
  /** The watch of all Pods. A part adds its listener when the part is built. */
  readonly podWatch: Pick<PodWatch, 'listen'>;
  /** Pods and workloads that may fail, with the events about them. */
  readonly failing: FailingWorkloads;
  /** Findings that no check makes. They are written into the reports of their workloads. */
  readonly extraResults: ExtraResults;
  /** Since when policies and the webhook are in force. */
  readonly inForce: InForce;
  readonly log: Logger;
  /** The registries that each part adds its metrics to. */
  readonly registers: Registry[];
  /** Never goes back. */
  readonly monotonic: () => number;
}
