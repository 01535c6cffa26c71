/**
 * Share of the API server's timeout after which an answer is no longer worth making: what is left is for the way back. A webhook that
 * answers late costs the caller its whole timeout and is ignored all the same.
 */
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
 * How many milliseconds a request may take, from the `timeout` that the API server sends along (`?timeout=5s`, a Go duration).
 * Undefined when there is none or it cannot be read: then only the server's own limits hold.
 */
export function deadlineMilliseconds(timeout: unknown): number | undefined {
  if (typeof timeout !== 'string' || !/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns)){1,6}$/.test(timeout)) return undefined;
  let total = 0;
  for (const [, amount, unit] of timeout.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  return total > 0 ? total * SHARE : undefined;
}
