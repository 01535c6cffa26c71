import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { quantile } from './figures.ts';
import type { LostTime } from './lost-time.ts';

/** What a caller that behaves has seen. */
export interface Seen {
  readonly latencies: readonly number[];
  /** When each call began, and when the caller had no processor: see lost-time.ts. */
  readonly starts: readonly number[];
  readonly lost: LostTime;
  readonly failures: readonly string[];
  readonly p99: number;
}

/**
 * Starts a caller that behaves, in a process of its own; resolves once it calls.
 *
 * @param kilobytes of its bodies, in turn; none = small ones
 */
export async function startGoodCaller(
  port: number,
  perSecond = 100,
  localAddress = '127.0.0.1',
  connections = 4,
  kilobytes: readonly number[] = [],
): Promise<{ stop(): Promise<Seen> }> {
  const child = fork(join(import.meta.dirname, 'good-caller-child.ts'), [
    String(port),
    String(perSecond),
    localAddress,
    String(connections),
    ...kilobytes.map(String),
  ]);
  await once(child, 'message');
  return {
    stop: async () => {
      const answer = once(child, 'message');
      child.send('stop');
      const [seen] = (await answer) as [Omit<Seen, 'p99'>];
      // Its first calls open connections and load code.
      return { ...seen, p99: quantile(seen.latencies.slice(20), 0.99) };
    },
  };
}
