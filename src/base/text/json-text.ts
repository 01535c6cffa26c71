import { visible } from './visible.ts';

/** The JSON text of a value, safe to show: hidden characters and log commands are escaped. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, replacer, indent));
}

/** A text of which each character stands for itself in JSON, and is safe to show. */
const PLAIN = /^[ !$-[\]-~]*$/;

/** The JSON text of a string, safe to show. Most strings are plain, and JSON.stringify takes several times as long. */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : visibleJson(JSON.stringify(text));
}

/** Most log lines are ASCII, and need no escapes. */
const NOT_ASCII = /[^\n\t -~]/;

/** JSON text with the same value that is safe to show. Line breaks and tabs between tokens stay. */
export function visibleJson(json: string): string {
  const isPlain = !NOT_ASCII.test(json) && !json.includes('##');
  return isPlain ? json : json.replace(/[^\n\t]+/g, (piece) => visible(piece));
}
