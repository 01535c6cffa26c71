import { parseInstant } from '../../base/text/duration.ts';
import { quote } from '../../base/text/cut.ts';
import { didYouMean, suggestion } from '../../base/text/suggestion.ts';

/** The type of a flag's value. */
export interface ValueType<T> {
  /** Placeholder of a value in help and docs: `DIR`, `PORT`, `yaml|json`. */
  readonly placeholder: string;
  /** Completions that a shell may suggest for a value. Absent means no completions. */
  readonly suggestions?: Suggestions;
  /**
   * Reads the value of a text.
   *
   * @throws Error with the problem. The flag's name precedes it in messages: `--port: must be ...`
   */
  readonly read: (text: string) => T;
}

/** Completions that a shell may suggest: these words, names of files or names of directories. */
export type Suggestions = readonly string[] | 'files' | 'directories';

/** Accepts any text. */
export function anyText(placeholder: string): ValueType<string> {
  return { placeholder, read: (text) => text };
}

/** Accepts any text that is not empty. */
export function someText(placeholder: string): ValueType<string> {
  return { placeholder, read: notEmpty };
}

/** Accepts the name of a file or directory. The file or directory need not exist. */
export function path(placeholder: string, suggestions: 'files' | 'directories'): ValueType<string> {
  return { placeholder, suggestions, read: notEmpty };
}

/** Accepts a text that `parse` can read. `expected` describes such texts in messages. */
export function parsed<T>(placeholder: string, expected: string, parse: (text: string) => T | undefined): ValueType<T> {
  return {
    placeholder,
    read: (text) => {
      const value = parse(text);
      if (value === undefined) throw new Error(`must be ${expected}, not ${quote(text)}`);
      return value;
    },
  };
}

/**
 * Accepts a text that passes a test. `expected` describes such texts in messages: `the name of a Kubernetes object`.
 */
export function textThat(
  isExpected: (text: string) => boolean,
  expected: string,
  placeholder: string,
): ValueType<string> {
  return parsed(placeholder, expected, (text) => (isExpected(text) ? text : undefined));
}

/** Accepts a whole number within these bounds. */
export function wholeNumber(placeholder: string, minimum: number, maximum: number): ValueType<number> {
  return parsed(placeholder, `a whole number from ${minimum} to ${maximum}`, (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** Accepts one of these words. */
export function choice<const Word extends string>(words: readonly Word[]): ValueType<Word> {
  return {
    placeholder: words.join('|'),
    suggestions: words,
    read: (text) => {
      const word = words.find((candidate) => candidate === text);
      if (word === undefined) throw new Error(notAmong(text, words));
      return word;
    },
  };
}

/** The problem of a text that is none of these words. */
export function notAmong(text: string, words: readonly string[]): string {
  return `must be ${words.join(words.length === 2 ? ' or ' : ', ')}, not ${quote(text)}${didYouMean(text, words)}`;
}

/**
 * Accepts `true` or `false`, for settings that are also environment variables. A switch takes no value and cannot be
 * set there.
 */
export function trueOrFalse(): ValueType<boolean> {
  const words = choice(['true', 'false']);
  return { ...words, read: (text) => words.read(text) === 'true' };
}

/** Accepts a duration such as `1h30m` from 1 ms to `most` ms. The value is in milliseconds. */
export function durationValue(most: number): ValueType<number> {
  return parsed('DURATION', 'a duration such as 90s, 5m, 1h30m or 7d', (text) => {
    const value = parseDuration(text) ?? 0;
    return value >= 1 && value <= most ? value : undefined;
  });
}

/** Accepts an instant such as `2027-01-31T00:00:00Z`. The value is in milliseconds since the epoch. */
export function instant(): ValueType<number> {
  return parsed('RFC3339', 'an instant with a time zone, such as 2027-01-31T00:00:00Z', parseInstant);
}

/** Accepts an instant, or a day, which means its first instant in UTC. The value is in milliseconds since the epoch. */
export function dateOrInstant(): ValueType<number> {
  return parsed('DATE', 'a day such as 2027-01-31, or an instant with a time zone', (text) =>
    parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text),
  );
}

/** Accepts names separated by commas. No name may be empty. */
export function commaList(item: string): ValueType<readonly string[]> {
  return parsed(`${item}[,${item}...]`, 'a comma list of names', (text) => {
    const items = text.split(',').map((part) => part.trim());
    return items.includes('') ? undefined : items;
  });
}

/** Accepts some of these words, separated by commas. */
export function wordList<const Word extends string>(item: string, words: readonly Word[]): ValueType<readonly Word[]> {
  const list = commaList(item);
  return {
    ...list,
    suggestions: words,
    read: (text) => {
      const given = list.read(text);
      const unknown = given.filter((word) => !(words as readonly string[]).includes(word));
      if (unknown.length === 0) return given as readonly Word[];
      throw new Error(`unknown ${item.toLowerCase()}: ${unknown.map((word) => suggested(word, words)).join(', ')}`);
    },
  };
}

function suggested(word: string, known: readonly string[]): string {
  const meant = suggestion(word, known);
  return quote(word) + (meant === undefined ? '' : ` (did you mean "${meant}"?)`);
}

function notEmpty(text: string): string {
  if (text === '') throw new Error('must not be empty');
  return text;
}

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
