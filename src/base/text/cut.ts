import { jsonText } from './visible.ts';

/** Cuts a text to at most `most` UTF-16 code units, with dots at the cut. Never splits a surrogate pair. */
export function cut(text: string, most: number, dots = '...'): string {
  return text.length <= most ? text : beginning(text, most - dots.length) + dots;
}

/** Cuts a sentence as `cut` does, before a word if the sentence has a space in the half before the cut. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const start = beginning(text, most - 1);
  const space = text.startsWith(' ', start.length) ? start.length : start.lastIndexOf(' ');
  return `${space < most / 2 ? start : start.slice(0, space)}…`;
}

/** The first `most` UTF-16 code units of a text, or one unit less if the cut would split a surrogate pair. */
export function beginning(text: string, most: number): string {
  const isHalved = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return text.slice(0, Math.max(0, isHalved ? most - 1 : most));
}

const MOST_CHARACTERS = 80;
const DOTS = '..."';

/** A text from a document, quoted for a message: visible, in double quotes, with at most `most` characters. */
export function quote(text: string, most = MOST_CHARACTERS): string {
  // Escapes never make a text shorter, so all characters after the first `most` would be cut anyway.
  const quoted = jsonText(beginning(text, most));
  if (quoted.length <= most) return quoted;
  let shown = '';
  for (const [piece] of quoted.matchAll(/\\u[0-9a-f]{4}|\\?./gsu)) {
    if (shown.length + piece.length > most - DOTS.length) break;
    shown += piece;
  }
  return shown + DOTS;
}

/** A number with its noun: `1 workload`, `2 workloads`. Only for nouns whose plural adds an s. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Orders texts by code units, not by the machine's language. For `sort`. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
