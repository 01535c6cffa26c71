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
