import { beginning } from './cut.ts';
import { jsonText } from './json-text.ts';

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
