import { beginning, cut } from '../text/cut.ts';
import { jsonText } from '../text/json-text.ts';

/** Highest number of characters that a message quotes from a value. */
const MOST_QUOTED = 60;

/**
 * Formats a value for a message: JSON, cut when the text is too long. The function reads only the part that is quoted.
 */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  let text = '';
  for (const piece of jsonPieces(value)) {
    text += piece;
    if (text.length > MOST_QUOTED) return cut(text, MOST_QUOTED);
  }
  return text;
}

/**
 * Yields the JSON of a value in pieces. Every level begins with a piece, so a caller that stops early also limits the
 * recursion depth.
 */
function* jsonPieces(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (let index = 0; index < value.length; index++) {
      if (index > 0) yield ',';
      yield* jsonPieces(value[index]);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    yield '{';
    let isFirst = true;
    for (const [name, member] of Object.entries(value)) {
      yield `${isFirst ? '' : ','}${jsonStart(name)}:`;
      yield* jsonPieces(member);
      isFirst = false;
    }
    yield '}';
  } else yield typeof value === 'string' ? jsonStart(value) : JSON.stringify(value);
}

/** Returns the JSON of a text, limited to the characters that a message can quote. */
function jsonStart(text: string): string {
  return jsonText(beginning(text, MOST_QUOTED));
}
