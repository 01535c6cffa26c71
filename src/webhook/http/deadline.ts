/** Of the API server's timeout. It ignores a late answer; the rest is for the way back. */
const SHARE = 0.8;

/** Milliseconds in the units of a Go duration. */
const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000_001,
};

/**
 * The time limit in milliseconds, from the API server's `?timeout=5s` (a Go duration). Infinity without a valid one.
 */
export function deadlineMilliseconds(timeout: unknown): number {
  if (typeof timeout !== 'string' || !/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns)){1,6}$/.test(timeout)) return Infinity;
  let total = 0;
  for (const [, amount, unit] of timeout.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/gy))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return total > 0 ? total * SHARE : Infinity;
}

/** The longest time of a timer: Node fires a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Resolves with the result of the promise, or with `timeout` after the time is over. */
export async function atMost<T>(promise: Promise<T>, milliseconds: number): Promise<T | 'timeout'> {
  if (milliseconds > LONGEST_TIMER) return promise;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'timeout'>((resolve) => {
    timer = setTimeout(resolve, milliseconds, 'timeout');
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
