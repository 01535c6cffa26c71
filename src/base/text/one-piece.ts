const NONCHARACTER = 0xffff;

/**
 * The same text in one piece. V8 keeps a text that was joined character by character as a chain of its pieces, until
 * something looks into the text: such a value of 14 characters takes three times the memory.
 */
export function inOnePiece(text: string): string {
  // V8 leaves out a look on which nothing depends.
  return text.charCodeAt(0) === NONCHARACTER ? text.slice() : text;
}
