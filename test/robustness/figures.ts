import { appendFileSync } from 'node:fs';

/** The parts of bench/ROBUSTNESS.md, in their order. */
export const AREAS = [
  'Hostile bodies',
  'Hostile clients',
  'Long reviews',
  'Hostile policies',
  'Long decisions',
  'Faults',
  'Random worlds',
  'Who may call',
  'Supply chain',
  'Soak',
] as const;
export type Area = (typeof AREAS)[number];

/** One line of the run, and of the table. */
export interface Figure {
  readonly area: Area;
  readonly scenario: string;
  readonly figure: string;
}

/**
 * Says what a scenario came to: on standard output, and, when ROBUSTNESS_FIGURES names a file, as a line of JSON there, from which the table
 * in bench/ROBUSTNESS.md is made. A test that only says "passed" hides how narrowly.
 */
export function report(area: Area, scenario: string, figure: string): void {
  // Straight to the stream: vitest heads each console line with the test's name, which the scenario says already.
  process.stdout.write(`${area}: ${scenario}: ${figure}\n`);
  const file = process.env['ROBUSTNESS_FIGURES'];
  const line: Figure = { area, scenario, figure };
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Milliseconds as a person reads them. */
export function readable(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Bytes as a person reads them, with a sign when it is a difference. */
export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** The value below which this share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
