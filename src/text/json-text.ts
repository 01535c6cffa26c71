import { visible } from './visible.ts';

/** JSON text of a value, safe to show in a terminal or a CI log: hidden characters and log commands are escaped, the value is the same. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, replacer, indent));
}

/** Log lines are ASCII, but for a few. */
const NOT_ASCII = /[^\n\t -~]/;

/** JSON text with the same value that is safe to show. Line breaks and tabs stand only between its tokens, and stay. */
export function visibleJson(json: string): string {
  const isPlain = !NOT_ASCII.test(json) && !json.includes('##');
  return isPlain ? json : json.replace(/[^\n\t]+/g, (piece) => visible(piece));
}
