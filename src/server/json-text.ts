const BACKSLASH = '\\'.charCodeAt(0);

/** Where the string that starts here has its closing quote; the end of the text when it has none. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // An even number of backslashes are each other's.
    if ((quote - first) % 2 === 0) return quote;
  }
  return text.length;
}
