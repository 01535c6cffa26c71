/** UTF-8 needs at most 3 bytes for a UTF-16 code unit. */
export const MOST_BYTES_A_UNIT = 3;

const encoder = new TextEncoder();

/** The number of bytes of a text in UTF-8. A lone surrogate counts three bytes: encoders write U+FFFD for it. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** Decodes valid base64 to text, in Node and in browsers. Bytes that are not valid UTF-8 become U+FFFD. */
export function utf8OfBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
