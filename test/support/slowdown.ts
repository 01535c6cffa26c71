/** What the work below takes on a machine of 2026 that does nothing else. */
const IDLE_MILLISECONDS = 150;

/** How much slower this machine is at the moment, as others work on it, too; at least 1. */
export function slowdownNow(): number {
  return Math.max(1, timeOf(work) / IDLE_MILLISECONDS);
}

function work(): string {
  let text = '';
  for (let round = 0; round < 6; round += 1) {
    const numbers = Array.from({ length: 20_000 }, (_, index) => ({ [`key${index}`]: index * round }));
    text = JSON.stringify(JSON.parse(JSON.stringify(numbers)));
  }
  return text;
}

/**
 * How much slower the processor is than an idle one of 2026, whatever others do; at least 1. For limits on times from
 * which the time of others is taken out.
 */
export function slowdownOfProcessor(): number {
  // The first time, V8 compiles.
  const took = [1, 2].map(() => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...took) / IDLE_MILLISECONDS);
}

/** Milliseconds that some work takes. */
export function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
