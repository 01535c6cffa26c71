import { heavyClientOf } from './heavy-client.ts';
import type { CheckedProbe } from '../checked-probe.ts';

/** Enough time in seconds for a small program on a busy node. */
export const PATIENT_TIMEOUT_SECONDS = 5;

/** Shortest period in seconds for a heavy client. Such a client needs a second of a processor for one question. */
export const HEAVY_CLIENT_PERIOD_SECONDS = 30;

/** Shortest period in seconds for other programs, because each probe starts a process. */
export const EXEC_PERIOD_SECONDS = 5;

/** Returns the shortest period for the command of an exec probe, in seconds. Returns 0 for other handlers. */
export function leastExecPeriodSeconds(probe: CheckedProbe): number {
  if (probe.handlerKind !== 'exec') return 0;
  return heavyClientOf(probe) === undefined ? EXEC_PERIOD_SECONDS : HEAVY_CLIENT_PERIOD_SECONDS;
}
