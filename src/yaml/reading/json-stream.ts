/**
 * Splits a text of JSON objects without separators. jq prints such a text, and kubectl accepts it.
 *
 * @returns the pieces, whose concatenation is the text; undefined unless the text is two or more JSON objects
 */
export function splitJsonStream(text: string): string[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const starts = objectStarts(text);
  if (starts.length < 2) return undefined;
  const pieces = starts.map((start, index) => text.slice(index === 0 ? 0 : start, starts[index + 1]));
  return pieces.every(isJson) ? pieces : undefined;
}

/** Returns the start of each top-level object. */
function objectStarts(text: string): number[] {
  const starts: number[] = [];
  let depth = 0;
  let inString = false;
  // Match single characters instead of whole strings. A pattern for whole strings fails on a string of 1 MB or without
  // an end.
  for (const { 0: token, index } of text.matchAll(/\\.|["{}]/gs)) {
    if (token === '"') inString = !inString;
    if (inString) continue;
    if (token === '{' && depth++ === 0) starts.push(index);
    if (token === '}') depth--;
  }
  return starts;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
