import { heavyProgramOf } from '../../command/starts.ts';
import type { Probe } from '../../workload/pod.ts';

/** Shortest period in seconds for a heavy client. Such a client needs a second of a processor for one question. */
const HEAVY_CLIENT_PERIOD_SECONDS = 30;

/** Shortest period in seconds for other programs, because each probe starts a process. */
export const EXEC_PERIOD_SECONDS = 5;

/**
 * Returns the shortest period for the command of an exec probe, in seconds. Returns 0 for other handlers.
 * @param minimum the shortest period for a small program
 */
export function leastExecPeriodSeconds(probe: Probe, minimum: number = EXEC_PERIOD_SECONDS): number {
  if (probe.handler.kind !== 'exec') return 0;
  return heavyProgramOf(probe.command) === undefined ? minimum : Math.max(minimum, HEAVY_CLIENT_PERIOD_SECONDS);
}
