import { jsonText } from '../text/json-text.ts';
import { quote } from '../text/quote.ts';
import type { CheckedContainer } from './check.ts';

/** Formats `container "app"`, the form that every message uses. */
export function containerPhrase(container: CheckedContainer): string {
  return `container ${quote(container.name)}`;
}

/** Joins words: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/**
 * Formats a JSON value as YAML on one line, ready to paste: `{ httpGet: { path: /live, port: http }, periodSeconds: 5
 * }`.
 */
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
