const [QUOTE, BACKSLASH] = ['"', '\\'].map((sign) => sign.charCodeAt(0)) as [number, number];

/** Where the string that starts here has its closing quote; the end of the text when it has none. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    // The next character is escaped.
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}
