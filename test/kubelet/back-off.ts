import type { JsonObject } from '../../src/base/json/json-value.ts';

const FIRST_SECONDS = 10;
const MOST_SECONDS = 300;

/**
 * The back-off of one container (client-go util/flowcontrol/backoff.go; kuberuntime_manager.go, doBackOff). It looks at
 * the last exit that the kubelet knows. A kill by a probe and the next start are one sync, in which the exit before the
 * kill is the last known one. So the time of the run counts, and the back-off begins some restarts later than after
 * crashes.
 */
export class BackOff {
  #seconds = 0;
  #updatedAt = -Infinity;

  /** Seconds to wait after the last exit; 0: none. Times are in milliseconds; no exit is known before the first kill. */
  holds(now: number, knownExit: number | undefined): number {
    if (knownExit === undefined || this.#isExpired(knownExit)) return 0;
    return now - knownExit < this.#seconds * 1000 ? this.#seconds : 0;
  }

  /** The container starts again: the next wait is longer. */
  next(now: number, knownExit: number | undefined): void {
    if (knownExit === undefined) return;
    const isFirst = this.#seconds === 0 || this.#isExpired(now);
    this.#seconds = isFirst ? FIRST_SECONDS : Math.min(MOST_SECONDS, 2 * this.#seconds);
    this.#updatedAt = now;
  }

  #isExpired(time: number): boolean {
    return time - this.#updatedAt > 2 * MOST_SECONDS * 1000;
  }
}

/** What the status and the event `BackOff` say while a container waits. */
export function backOffTexts(
  seconds: number,
  container: string,
  { namespace, name, uid }: JsonObject,
): { readonly message: string; readonly event: string } {
  const pod = `${String(name)}_${String(namespace)}(${String(uid)})`;
  const message = `back-off ${goDuration(seconds)} restarting failed container=${container} pod=${pod}`;
  return { message, event: `Back-off restarting failed container ${container} in pod ${pod}` };
}

/** Seconds as Go writes a duration: `40s`, `1m20s`, `5m0s`. */
function goDuration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
