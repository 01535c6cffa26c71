const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0)) as [number, number];

/**
 * The position of the closing quote of the string that starts at `start`. The end of the text if the quote is missing.
 */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    // The next character is escaped.
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
