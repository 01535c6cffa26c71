/** What the work below takes on a machine of 2026 that does nothing else. */
const IDLE_MILLISECONDS = 150;

/** How much slower this machine is at the moment, as others work on it, too; at least 1. */
export function slowdownNow(): number {
  const took = timeOf(() => {
    let text = '';
    for (let round = 0; round < 6; round += 1) {
      const numbers = Array.from({ length: 20_000 }, (_, index) => ({ [`key${index}`]: index * round }));
      text = JSON.stringify(JSON.parse(JSON.stringify(numbers)));
    }
    return text;
  });
  return Math.max(1, took / IDLE_MILLISECONDS);
}

/** Milliseconds that some work takes. */
export function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
