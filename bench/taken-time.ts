import { stolenMilliseconds } from '../test/support/stolen-time.ts';
import { cores } from './cores.ts';
import type { MeasuredServer } from './processes.ts';

/** The shares of some time for which the core of a server was not the server's. */
export interface TakenTime {
  /** Other processes ran while the server could have run: at least this much. */
  readonly byProcesses: number;
  /** The host took the core (steal). Where no core is pinned, the steal of all cores. */
  readonly byHost: number;
}

/** Starts to look at the core of a server. The answer is for the time since then. */
export function noteTakenTime(server: MeasuredServer): () => TakenTime {
  const [began, stolen, waited] = [performance.now(), stolenFromServers(), server.waitedSeconds()];
  return () => {
    const elapsed = performance.now() - began;
    return {
      byProcesses: Math.max(0, (server.waitedSeconds() - waited) * 1000) / elapsed,
      byHost: (stolenFromServers() - stolen) / elapsed,
    };
  };
}

/** Milliseconds since the boot, in steps of ten, that the host had the core of the servers. */
export function stolenFromServers(): number {
  return stolenMilliseconds(cores?.server);
}
