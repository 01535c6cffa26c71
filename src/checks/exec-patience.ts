import { heavyClientOf } from './heavy-client.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** Enough time in seconds for a small program on a busy node. */
export const PATIENT_TIMEOUT_SECONDS = 5;

/** Shortest period in seconds for a heavy client. Such a client needs a second of a processor for one question. */
export const HEAVY_CLIENT_PERIOD_SECONDS = 30;

/** Returns the shortest period for the command of an exec probe, in seconds. Returns 0 when every period is fine. */
export function leastExecPeriodSeconds(probe: CheckedProbe): number {
  return heavyClientOf(probe) === undefined ? 0 : HEAVY_CLIENT_PERIOD_SECONDS;
}
