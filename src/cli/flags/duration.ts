const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, ms: 1, s: 1000 } as const;

/**
 * Returns the milliseconds of a duration such as `90s`, `1h30m`, `7d` or `500ms`. Undefined for any other text. A day
 * has 24 hours.
 */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+)(ms|[dhms])/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
}

/** Formats milliseconds as a duration in the largest units: 25 hours are `1d1h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  let rest = milliseconds;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(rest / UNITS[unit]);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * UNITS[unit];
  }
  return text;
}
