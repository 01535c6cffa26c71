/** Cuts a text to at most `most` UTF-16 code units, with dots at the cut. Never splits a surrogate pair. */
export function cut(text: string, most: number, dots = '...'): string {
  return text.length <= most ? text : beginning(text, most - dots.length) + dots;
}

/** The first `most` UTF-16 code units of a text, or one unit less if the cut would split a surrogate pair. */
export function beginning(text: string, most: number): string {
  const isHalved = isFirstHalf(text.charCodeAt(most - 1)) && isSecondHalf(text.charCodeAt(most));
  return text.slice(0, Math.max(0, isHalved ? most - 1 : most));
}

const isFirstHalf = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code < 0xe000;
