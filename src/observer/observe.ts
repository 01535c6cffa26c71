import { CHECK_CATALOGUE } from '../engine/checks/catalogue.ts';
import { openClusterConnection } from '../process/cluster-connection.ts';
import { exemptNamespaces } from '../process/policies.ts';
import { PartRunner } from '../process/part.ts';
import { PolicyStore } from '../cluster/sources/policy-store.ts';
import { loadWorkloadKinds } from '../cluster/sources/workload-kinds.ts';
import { VERSION } from '../base/version.ts';
import { KNOWN_KINDS } from '../engine/workload/custom-kinds.ts';
import { buildObserverParts, type ObserveConfig } from './observer-parts.ts';
import type { ObserverContext } from './observer-part.ts';

export type ObserverClocks = Pick<ObserverContext, 'log' | 'now' | 'monotonic'>;

export interface RunningObserver {
  readonly healthPort: number;
  readonly dashboardPort: number | undefined;
  /** Resolves once all policies have been read for the first time. */
  readonly started: Promise<void>;
  /** Gives the Lease back and stops all parts. A second call gives the promise of the first. */
  stop(): Promise<void>;
}

/** Rejects, with all parts stopped, for a wrong setting, file or port. An API server that is away is waited for. */
export async function startObserver(config: ObserveConfig, clocks: ObserverClocks): Promise<RunningObserver> {
  const { log } = clocks;
  const kinds = config.workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(config.workloadKinds);
  const origins = config.policies === undefined ? (['cluster'] as const) : (['files', 'cluster'] as const);
  const store = new PolicyStore(CHECK_CATALOGUE, origins);
  const connection = await openClusterConnection(config.cluster, `probewright-observer/${VERSION}`);
  const isExempt = exemptNamespaces(config.exemptNamespaces, connection.namespace, store);
  const runner = new PartRunner();
  const parts = buildObserverParts(
    config,
    connection,
    { ...clocks, kinds, store, isExempt, random: Math.random },
    (isLeader) => {
      runner.lead(isLeader);
    },
  );
  await runner.start(parts.inOrder);
  log.info({ host: config.host, healthPort: parts.health.port, version: VERSION }, 'observing');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    parts.drain();
    // Another replica takes over at once.
    await parts.election.stop();
    await runner.stop();
    log.info('stopped');
  };
  return {
    healthPort: parts.health.port,
    dashboardPort: parts.dashboard?.port,
    started: parts.policies.read.then(() => undefined),
    stop: () => (stopping ??= stop()),
  };
}
