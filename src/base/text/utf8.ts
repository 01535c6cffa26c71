/** UTF-8 needs at most 3 bytes for a UTF-16 code unit. */
export const MOST_BYTES_A_UNIT = 3;

const SURROGATES = { firstHigh: 0xd800, firstLow: 0xdc00, end: 0xe000 };

/**
 * The number of bytes of a text in UTF-8. A lone surrogate counts three bytes, because encoders write U+FFFD in its
 * place.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(unit, text.charCodeAt(at + 1))) {
      // Two units make four bytes. The loop skips the second unit.
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isPair(unit: number, next: number): boolean {
  const { firstHigh, firstLow, end } = SURROGATES;
  return unit >= firstHigh && unit < firstLow && next >= firstLow && next < end;
}

const encoder = new TextEncoder();
const ASCII = /^[\0-\x7f]*$/;
/** The bytes of a text are only counted, so all texts share the memory. */
const counted = new Uint8Array(16 * 1024);

/** Whether every character of a text is one byte in UTF-8. To encode a text is several times as fast as the pattern. */
function isAscii(text: string): boolean {
  if (text.length > counted.length) return ASCII.test(text);
  const { read, written } = encoder.encodeInto(text, counted);
  return read === text.length && written === read;
}

/**
 * The base64 text of a text's UTF-8 bytes. Uses `btoa`, because `btoa` exists in Node and in browsers. `btoa` takes one
 * byte for each character.
 */
export function base64OfUtf8(text: string): string {
  if (isAscii(text)) return btoa(text);
  let bytes = '';
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

/** Decodes valid base64 to text. Bytes that are not valid UTF-8 become U+FFFD. */
export function utf8OfBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
