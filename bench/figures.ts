/** One line of a table: what was measured, and how it stands to its goal. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  /** Lowest and highest of the rounds, or how else the figure is known to be what it is. */
  readonly spread: string;
  /** Empty for a figure that is there to be read only. */
  readonly goal: string;
  /** Absent without a goal. */
  readonly met?: boolean;
}

/** What one goal's file found. */
export interface Findings {
  readonly title: string;
  /** How it was measured, in a few sentences. */
  readonly how: string;
  readonly rows: readonly Row[];
  /** Why nothing was measured. */
  readonly skipped?: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** The value that so many percent of a sorted list are not above. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

const digits = (value: number): string =>
  value >= 100
    ? Math.round(value)
        .toString()
        .replace(/\B(?=(\d{3})+$)/g, ',')
    : value.toPrecision(3);

/** A median with its unit and the range that it is the median of. */
export function summary(values: readonly number[], unit = ''): Pick<Row, 'figure' | 'spread'> {
  const range = `${digits(Math.min(...values))} to ${digits(Math.max(...values))} (${values.length} rounds)`;
  return { figure: `${digits(median(values))}${unit}`, spread: values.length > 1 ? range : '' };
}

/** A row without a goal. */
export function reading(what: string, values: readonly number[], unit = ''): Row {
  return { what, ...summary(values, unit), goal: '' };
}

/** A row whose median must not be below, or not above, a limit. */
export function judged(
  what: string,
  values: readonly number[],
  limit: { readonly atLeast: number } | { readonly atMost: number },
  unit = '',
): Row {
  const value = median(values);
  const [goal, met] =
    'atLeast' in limit
      ? [`at least ${limit.atLeast}${unit}`, value >= limit.atLeast]
      : [`at most ${limit.atMost}${unit}`, value <= limit.atMost];
  return { what, ...summary(values, unit), goal, met };
}

/** The ratio of two lists, round by round: what two sides met with in one round, they met together. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? NaN));
}
