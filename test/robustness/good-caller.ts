import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { quantile } from './figures.ts';

/** What a caller that behaves has seen. */
export interface Seen {
  readonly latencies: readonly number[];
  readonly failures: readonly string[];
  readonly p99: number;
}

/** Starts a caller that behaves, in a process of its own; resolves once it calls. */
export async function startGoodCaller(port: number, perSecond = 100): Promise<{ stop(): Promise<Seen> }> {
  const child = fork(join(import.meta.dirname, 'good-caller-child.ts'), [String(port), String(perSecond)]);
  await once(child, 'message');
  return {
    stop: async () => {
      const answer = once(child, 'message');
      child.send('stop');
      const [{ latencies, failures }] = (await answer) as [Pick<Seen, 'latencies' | 'failures'>];
      // Its first calls open connections and load code.
      return { latencies, failures, p99: quantile(latencies.slice(20), 0.99) };
    },
  };
}
