import { beginning, cut } from '../text/cut.ts';
import { jsonText } from '../text/visible.ts';

/** Highest number of characters that a message quotes from a value. */
const MOST_QUOTED = 60;

/**
 * Formats a value for a message: JSON, cut when the text is too long. The function reads only the part that is quoted.
 */
export function quoted(value: unknown): string {
  return value === undefined ? 'nothing' : cut(withJson('', value), MOST_QUOTED);
}

/** Appends JSON to a text, until the text is too long. Every level adds a character, so the depth has a limit, too. */
function withJson(text: string, value: unknown): string {
  if (typeof value === 'string') return text + jsonStart(value);
  if (typeof value !== 'object' || value === null) return text + JSON.stringify(value);
  const isList = Array.isArray(value);
  let result = text + (isList ? '[' : '{');
  const start = result.length;
  for (const [name, member] of isList ? value.entries() : Object.entries(value)) {
    if (result.length > MOST_QUOTED) return result;
    if (result.length > start) result += ',';
    result = withJson(typeof name === 'string' ? `${result}${jsonStart(name)}:` : result, member);
  }
  return result + (isList ? ']' : '}');
}

/** Returns the JSON of a text, limited to the characters that a message can quote. */
function jsonStart(text: string): string {
  return jsonText(beginning(text, MOST_QUOTED));
}
