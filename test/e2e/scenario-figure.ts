/** One line for a reader of the run: what was tried and what came out. A test that only says "passed" hides how narrowly. */
export function report(scenario: string, figure: string): void {
  // Straight to the stream: vitest heads each console line with the test's name, which the scenario says already.
  process.stdout.write(`${scenario}: ${figure}\n`);
}

/** Milliseconds as a person reads them. */
export function readable(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
