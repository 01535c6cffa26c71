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

/** RFC 3339 with the letters in upper case, as Kubernetes writes instants. A time zone is part of the text. */
export const INSTANT_PATTERN =
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?' +
  '(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$';

const INSTANT = new RegExp(INSTANT_PATTERN);

/**
 * Reads an instant such as `2027-01-31T00:00:00Z`, in milliseconds since the epoch. Undefined for any other text, for a
 * day that the month does not have, and for a leap second (`:60`): the API server does not accept leap seconds either.
 * Parts of a millisecond are dropped.
 */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined;
  if (new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() !== Number(text.slice(8, 10))) return undefined;
  const milliseconds = Date.parse(text.replace(/\.([0-9]{1,3})[0-9]*/, '.$1'));
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Writes an instant in UTC, without milliseconds if there are none: `2027-01-31T00:00:00Z`. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
