import { quantile } from './figures.ts';
import { startGoodCaller } from './good-caller.ts';
import { withoutLostTime } from './lost-time.ts';
import { stolenMilliseconds } from '../support/stolen-time.ts';
import type { Program } from './program.ts';

/** How a caller that behaves fared beside others, in milliseconds. */
export interface Fared {
  readonly calls: number;
  readonly failures: readonly string[];
  /** As the caller saw it. */
  readonly p99: number;
  /** Without the time in which the program or the caller had something to do and no processor: that was others' doing. */
  readonly delay: number;
  /** What the host took away from this machine meanwhile. */
  readonly stolen: number;
  /** The most processor time that the program used in one turn of its event loop. */
  readonly longestTurn: number;
}

/**
 * Has a caller that behaves call a program for some time, while something else goes on.
 *
 * @param kilobytes of the caller's bodies, in turn; its calls come over twice as many connections then. None = small ones
 */
export async function besideCaller(
  program: Program,
  milliseconds: number,
  attack: () => Promise<void>,
  kilobytes: readonly number[] = [],
): Promise<Fared> {
  const caller = await (kilobytes.length === 0
    ? startGoodCaller(program.port)
    : startGoodCaller(program.port, 100, undefined, 8, kilobytes));
  // Its first calls open connections and load code.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await program.longestTurn();
  const stolenBefore = stolenMilliseconds();
  const end = performance.now() + milliseconds;
  await attack();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, end - performance.now())));
  const { longestTurn, lost } = await program.longestTurn();
  const { starts, latencies, failures, lost: lostByCaller, p99 } = await caller.stop();
  const own = latencies.map((took, index) => withoutLostTime(starts[index] ?? 0, took, [lost, lostByCaller]));
  return {
    calls: latencies.length,
    failures,
    p99,
    delay: quantile(own.slice(8), 0.99),
    stolen: stolenMilliseconds() - stolenBefore,
    longestTurn,
  };
}
