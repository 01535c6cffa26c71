import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second (USER_HZ of proc(5)). */
const TICK_MILLISECONDS = 10;

/**
 * For how long, so far, the host of a virtual machine has had others run when this one had something to do; 0 where
 * nobody knows.
 *
 * @param core the number of one core; undefined for all cores together
 */
export function stolenMilliseconds(core?: number): number {
  try {
    const steal = new RegExp(`^cpu${core ?? ''} +(?:\\d+ ){7}(\\d+)`, 'm').exec(
      readFileSync('/proc/stat', 'utf8'),
    )?.[1];
    return Number(steal ?? 0) * TICK_MILLISECONDS;
  } catch {
    return 0;
  }
}
