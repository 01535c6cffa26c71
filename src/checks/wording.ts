import type { CheckedContainer } from './check.ts';

/** `container "app"`, as every message names it. */
export function the(container: CheckedContainer): string {
  return `container ${quote(container.name)}`;
}

/**
 * A text from the document as a message quotes it: on one line, without control characters, cut short when it is
 * long.
 */
export function quote(text: string): string {
  const quoted = escaped(text);
  return quoted.length > 80 ? `${quoted.slice(0, 76)}..."` : quoted;
}

/** JSON's escapes, and those for the control and line-breaking characters that JSON leaves as they are. */
function escaped(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029]/g, codeUnitEscape);
}

function codeUnitEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/**
 * A JSON value as YAML on one line, ready to be pasted: `{ httpGet: { path: /live, port: http }, periodSeconds: 5 }`.
 */
export function yamlFlow(value: unknown): string {
  if (typeof value === 'string') return isPlainScalar(value) ? value : escaped(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  const members = Object.entries(value).map(([key, inner]) => `${yamlFlow(key)}: ${yamlFlow(inner)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Words that YAML 1.1, which kubectl reads, takes for something else than text. */
const NOT_TEXT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

function isPlainScalar(text: string): boolean {
  return /^[A-Za-z/][\w./-]*$/.test(text) && !NOT_TEXT.test(text);
}
