import { jsonText } from '../../../base/text/visible.ts';
import { quote } from '../../../base/text/cut.ts';
import type { CheckedContainer } from '../checked-workload.ts';

/** Longest container name that the API server accepts, with its quotes. */
const MOST_NAME_CHARACTERS = 65;

/** Formats `container "app"`, the form that every message uses. */
export function containerPhrase(container: CheckedContainer): string {
  return `container ${quote(container.name, MOST_NAME_CHARACTERS)}`;
}

/** Most characters of a value in a message, with its quotes. A message has at most 200 characters in all. */
const MOST_VALUE_CHARACTERS = 40;

/** Quotes a value from the object for a message. */
export function quotedValue(text: string): string {
  return quote(text, MOST_VALUE_CHARACTERS);
}

const MOST_WORDS = 3;

/**
 * Joins the first words, and counts the others: `a, b, c and 4 more`.
 *
 * @param total how many words there are, if `words` holds only the first of them
 */
export function firstListed(
  words: readonly string[],
  conjunction: 'and' | 'or' = 'and',
  total: number = words.length,
): string {
  if (total <= MOST_WORDS + 1) return listed(words, conjunction);
  return listed([...words.slice(0, MOST_WORDS), `${total - MOST_WORDS} more`]);
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Formats a JSON value as YAML on one line: `{ httpGet: { path: /live, port: http }, periodSeconds: 5 }`. */
export function yamlFlow(value: unknown): string {
  if (typeof value === 'string') return isPlainScalar(value) ? value : jsonText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => `${yamlFlow(key)}: ${yamlFlow(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Words that YAML 1.1 reads as another type than text. kubectl reads YAML 1.1. */
const NOT_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function isPlainScalar(text: string): boolean {
  return /^[A-Za-z/][\w./-]*$/.test(text) && !NOT_TEXT.test(text);
}
