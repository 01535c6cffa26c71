import { endOfString } from './json-text.ts';

const [QUOTE, COMMA, COLON, BACKSLASH, BRACKET, BRACE, ZERO, NINE] = ['"', ',', ':', '\\', '[', '{', '0', '9'].map(
  (sign) => sign.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

/** A character of text may become two bytes of a string. */
const CHARACTER_BYTES = 2;
/** A list or an object with nothing in it, and its place in the one around it. */
const OPENED_BYTES = 72;
/** A value in a list, with the object that a number or a short string is. */
const NEXT_BYTES = 40;
/** A key that no other object has before the same others: the key itself, and a hidden class for the object as it is from there on. */
const KEY_BYTES = 140;
/** A key that looks like a list's index: up to 31 places are made for one. */
const INDEX_KEY_BYTES = 340;

/** The heaviest that a text of some length can be, without a look into it: nothing but `{"1":`. */
export const MOST_BYTES_PER_CHARACTER = CHARACTER_BYTES + Math.ceil((OPENED_BYTES + INDEX_KEY_BYTES) / '{"1":'.length);

/**
 * The most memory, in bytes, that V8 needs for what a JSON text says: the length of the text says little about it, as parsed, five characters may
 * take four hundred bytes. Ordinary objects need a third of it, as they have the same keys. Measured with Node 24, see the test. What is no JSON has
 * some weight, too.
 *
 * @param most where to stop, for those who want to know no more than whether it is more
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

/** Whether a JSON text may need more bytes of memory than may be. Texts that are too short for that are not looked into. */
export function isHeavierThan(most: number, text: string): boolean {
  return text.length * MOST_BYTES_PER_CHARACTER > most && jsonWeight(text, most) > most;
}
