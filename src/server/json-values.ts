const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = ['"', ',', '\\', '[', '{'].map((sign) => sign.charCodeAt(0));

/**
 * Whether a JSON text holds more values than may be: its commas and opening brackets outside of strings. Parsed, three characters may take
 * sixty bytes (`{},`), so the length of a text says little about the memory that it needs; this does, and costs nothing for texts that are shorter
 * than so many characters.
 */
export function hasMoreValuesThan(most: number, text: string): boolean {
  if (text.length <= most) return false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code === COMMA || code === BRACKET || code === BRACE) && ++values > most) return true;
  }
  return false;
}

/** Where the string that starts here has its closing quote; the end of the text when it has none. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    // An even number of backslashes are each other's.
    if ((quote - first) % 2 === 0) return quote;
  }
  return text.length;
}
