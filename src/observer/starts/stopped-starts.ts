import { LATE_EVENT_MILLISECONDS } from '../failing/container-runs.ts';
import { NamespaceShares } from '../namespace-shares.ts';
import type { StoppedStart } from './measured-start.ts';

/** More kills than a cluster has within two rounds. */
const MOST_STARTS = 20_000;

/**
 * Starts that a probe has ended, until the kubelet's events have come: these say what the probe got. An answer such as
 * 404, which more time does not change, shows a start that was long enough.
 */
export class StoppedStarts {
  readonly #held = new NamespaceShares<{ readonly start: StoppedStart; readonly seenAt: number }>(MOST_STARTS);

  add(start: StoppedStart, seenAt: number): void {
    this.#held.set(start.namespace, start.id, { start, seenAt });
  }

  /** Takes out the starts whose events have come, with the instants at which they were seen. */
  *takeDue(now: number): Generator<readonly [start: StoppedStart, seenAt: number]> {
    for (const [namespace, id, { start, seenAt }] of this.#held.entries()) {
      // A clock that was set back does not prolong the wait.
      if (Math.abs(now - seenAt) < LATE_EVENT_MILLISECONDS) continue;
      this.#held.delete(namespace, id);
      yield [start, seenAt];
    }
  }
}
