import { readFileSync } from 'node:fs';
import { cores } from './cores.ts';
import type { MeasuredServer } from './processes.ts';

/** Ticks of /proc/stat in a second (USER_HZ of proc(5), 100 on all architectures that Node runs on). */
const TICKS_PER_SECOND = 100;

/**
 * Starts to look at the core of a server.
 *
 * @returns the seconds that the core has not been the server's since: the host took it away (steal), or other processes
 *    ran there. Without pinned cores, the steal of all cores
 */
export function noteTakenTime(server: MeasuredServer): () => number {
  const before = looked(server);
  return () => {
    const now = looked(server);
    const foreign = cores === undefined ? 0 : now.busy - before.busy - (now.own - before.own);
    return Math.max(0, foreign) + now.steal - before.steal;
  };
}

function looked(server: MeasuredServer): { busy: number; steal: number; own: number } {
  const name = cores === undefined ? 'cpu' : `cpu${cores.server}`;
  const line = readFileSync('/proc/stat', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name} `));
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = (line ?? '').trim().split(/\s+/).slice(1).map(Number);
  const seconds = (ticks: number): number => ticks / TICKS_PER_SECOND;
  return { busy: seconds(user + nice + system), steal: seconds(steal), own: server.cpuSeconds() };
}
