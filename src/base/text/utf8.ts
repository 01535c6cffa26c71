const encoder = new TextEncoder();

/** The number of bytes of a text in UTF-8. A lone surrogate counts three bytes: encoders write U+FFFD for it. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** So many arguments fit into one call in every engine. */
const PIECE = 8192;

/** Encodes a text as base64 of its UTF-8, in Node and in browsers. A patch may hold texts of a MiB. */
export function base64OfUtf8(text: string): string {
  const bytes = encoder.encode(text);
  if (bytes.length === text.length) return btoa(text);
  let binary = '';
  // Spreading a typed array takes eight times as long.
  for (let at = 0; at < bytes.length; at += PIECE)
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + PIECE)) as string;
  return btoa(binary);
}

/** Decodes valid base64 to text, in Node and in browsers. Bytes that are not valid UTF-8 become U+FFFD. */
export function utf8OfBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/**
 * A copy that shares no memory with another text. V8 keeps a whole text in memory while a part of it is in use, so a
 * kept part of an object of megabytes would keep megabytes.
 */
export function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** FNV-1a with 64 bits (Fowler, Noll, Vo). */
const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const BITS = 64;

/** A short, stable name for a text: 12 hexadecimal digits. It hides nothing, because anybody can compute it. */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (let at = 0; at < text.length; at++) hash = BigInt.asUintN(BITS, (hash ^ BigInt(text.charCodeAt(at))) * PRIME);
  return hash.toString(16).padStart(16, '0').slice(-12);
}
