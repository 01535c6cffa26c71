import { collectDefaultMetrics, Registry } from 'prom-client';
import { droppedConnections } from '../process/dropped-connections.ts';
import { observeProcess } from '../process/process-metrics.ts';
import type { ObserverPart } from './observer-part.ts';
import type { HealthMetrics } from '../process/health.ts';
import type { ProcessSources } from '../process/process-metrics.ts';
import type { Counter } from 'prom-client';

/** The objects that the leading observer writes, for the log and for metrics. */
export const OBSERVER_WRITES = 'reports';

/** The ports that the observer listens on. */
const PORTS = ['health', 'dashboard'] as const;

/** All metrics of the observer, in their own registry. */
export class ObserverMetrics implements HealthMetrics {
  readonly registry = new Registry();
  readonly #dropped: Counter<'port'>;

  constructor(sources: ProcessSources, parts: readonly ObserverPart[]) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#dropped = droppedConnections(PORTS, registers);
    observeProcess(sources, OBSERVER_WRITES, registers);
    for (const part of parts) part.registerMetrics?.(registers);
  }

  connectionDropped(port: (typeof PORTS)[number]): void {
    this.#dropped.inc({ port });
  }
}
