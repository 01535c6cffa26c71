/**
 * Cuts a text of JSON objects that follow each other without a separator, as jq prints them and kubectl takes them.
 *
 * @returns the pieces, which joined are the text; undefined when it is anything but two or more JSON objects
 */
export function splitJsonStream(text: string): string[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const starts = objectStarts(text);
  if (starts.length < 2) return undefined;
  const pieces = starts.map((start, index) => text.slice(index === 0 ? 0 : start, starts[index + 1]));
  return pieces.every(isJson) ? pieces : undefined;
}

/** Where objects start that are inside no other. */
function objectStarts(text: string): number[] {
  const starts: number[] = [];
  let depth = 0;
  let inString = false;
  // No pattern for whole strings: one that is a megabyte long, or never ends, is too much for it.
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
