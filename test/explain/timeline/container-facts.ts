import { probeTiming } from '../../../src/engine/time/timing.ts';
import { containerFigures } from '../../../src/explain/timeline/figures.ts';
import type { Kill } from '../../../src/engine/time/kill.ts';
import type { ContainerFacts } from '../../../src/explain/timeline/scene.ts';

/** Period 10 s, timeout 1 s, 3 failures: the API server's defaults. */
export const probe = (fields: object = {}, kill: Kill = { graceSeconds: 30, hasPreStop: false }): object => ({
  ...probeTiming({ ...fields }),
  kill,
});

/** What is known of a container with these probes. */
export function facts(probes: Readonly<Record<string, object>>, others: Partial<ContainerFacts> = {}): ContainerFacts {
  return {
    figures: containerFigures(probes, others.restarts ?? true),
    measured: [],
    restarts: true,
    mute: [],
    hasLiveness: 'livenessProbe' in probes,
    unknown: new Map(),
    ...others,
  };
}
