import { endOfString } from './json-text.ts';

const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE, ZERO, NINE] = ['"', ',', ':', '\\', '[', '{', '0', '9'].map(
  (sign) => sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** A character of the text may become two bytes of a string. */
const CHARACTER_BYTES = 2;
/** An empty list or object, and its place in the container. */
const OPENED_BYTES = 72;
/** A value in a list: its place, and the object for a number or a short string. */
const NEXT_BYTES = 40;
/**
 * A key that no other object has after the same earlier keys: the key, and a hidden class for the object with the key.
 */
const KEY_BYTES = 140;
/** A key that looks like a list index: V8 reserves up to 31 places for such a key. */
const INDEX_KEY_BYTES = 340;

/** The maximum weight of a character without reading the text. The heaviest text repeats `{"1":`. */
export const MOST_BYTES_PER_CHARACTER = CHARACTER_BYTES + Math.ceil((OPENED_BYTES + INDEX_KEY_BYTES) / '{"1":'.length);

/**
 * The maximum memory, in bytes, that V8 needs for the parsed value of a JSON text. The length of the text is a poor
 * estimate: five characters may take 400 bytes after parsing. Ordinary objects need a third of this weight, because
 * they share keys. Measured with Node 24, see the test. Invalid JSON has some weight, too.
 *
 * @param most the weight at which the count stops, for callers that only compare with a limit
 */
export function jsonWeight(text: string, most = Infinity): number {
  let weight = text.length * CHARACTER_BYTES;
  let isIndex = false;
  for (let at = 0; at < text.length && weight <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const first = text.charCodeAt(at + 1);
      // An escaped digit is a digit.
      isIndex = (first >= ZERO && first <= NINE) || first === BACKSLASH;
      at = endOfString(text, at);
    } else if (code === COMMA) weight += NEXT_BYTES;
    else if (code === COLON) weight += isIndex ? INDEX_KEY_BYTES : KEY_BYTES;
    else if (code === BRACKET || code === BRACE) weight += OPENED_BYTES;
  }
  return weight;
}
