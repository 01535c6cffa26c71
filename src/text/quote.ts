import { beginning } from './cut.ts';
import { jsonText } from './json-text.ts';

const MOST_CHARACTERS = 80;
const DOTS = '..."';

/** A text from a document, quoted for a message: visible, in double quotes, with at most 80 characters. */
export function quote(text: string): string {
  // Escapes never make a text shorter, so all characters after the first 80 would be cut anyway.
  const quoted = jsonText(beginning(text, MOST_CHARACTERS));
  if (quoted.length <= MOST_CHARACTERS) return quoted;
  let shown = '';
  for (const [piece] of quoted.matchAll(/\\u[0-9a-f]{4}|\\?./gsu)) {
    if (shown.length + piece.length > MOST_CHARACTERS - DOTS.length) break;
    shown += piece;
  }
  return shown + DOTS;
}
