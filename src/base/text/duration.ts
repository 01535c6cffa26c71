/**
 * A duration for people: `28 s`. From two minutes on, the duration is also in minutes or hours: `290 s (4 min 50 s)`.
 */
export function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${seconds} s (${inUnits(seconds)})`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** The two largest units are enough: nobody needs the seconds of a day. */
function inUnits(seconds: number): string {
  const first = UNITS.findIndex(([size]) => seconds >= size);
  let rest = seconds;
  const parts: string[] = [];
  for (const [size, unit] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.join(' ');
}

/**
 * A step in seconds that divides `end` seconds into at most `most` parts. The step is a familiar number of seconds,
 * minutes, hours or a day. A longer step is 1, 2, 5 or 10 times a power of ten.
 */
export function tickStep(end: number, most: number): number {
  const wanted = end / most;
  const familiar = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
  const step = familiar.find((seconds) => seconds >= wanted);
  if (step !== undefined) return step;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * power).find((seconds) => seconds >= wanted) ?? 10 * power;
}
