import { inflateSync, strFromU8, strToU8, zlibSync } from 'fflate';
import { isJsonObject, stringMember } from '../../base/json/json-value.ts';
import { LONGEST_TEXT, type PlaygroundTexts } from './judged-texts.ts';

const VERSION = 'v2:';

/** A link is zlib data (RFC 1950) without its first bytes: deflated bytes, and the Adler-32 checksum of the text. */
const HEADER_BYTES = 2;
const CHECKSUM_BYTES = 4;

/** The most bytes that a link may hold: two texts, escaped as JSON. */
const MOST_BYTES = 8 * LONGEST_TEXT;
/** No deflated byte expands to more. */
const MOST_EXPANSION = 1032;

/** A longer address does not work in every browser. A longer link could also expand to gigabytes. */
export const LONGEST_FRAGMENT = 100_000;

/** The texts as the fragment of an address, without `#`. The fragment never leaves the browser. */
export function linkFragment({ manifests, policies }: PlaygroundTexts): string {
  const text = strToU8(JSON.stringify({ manifests, policies }));
  const base64 = btoa(strFromU8(zlibSync(text, { level: 9 }).subarray(HEADER_BYTES), true));
  return (
    VERSION +
    base64
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace(/={1,2}$/, '')
  );
}

/** The texts of a fragment. Undefined when the fragment is no link of the playground, or is damaged or too long. */
export function textsOfFragment(fragment: string): PlaygroundTexts | undefined {
  if (!fragment.startsWith(VERSION) || fragment.length > LONGEST_FRAGMENT) return undefined;
  try {
    const base64 = fragment.slice(VERSION.length).replaceAll('-', '+').replaceAll('_', '/');
    const value: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(textOf(strToU8(atob(base64), true))),
    );
    if (!isJsonObject(value)) return undefined;
    const [manifests, policies] = [stringMember(value, 'manifests'), stringMember(value, 'policies')];
    return manifests === undefined || policies === undefined ? undefined : { manifests, policies };
  } catch {
    return undefined;
  }
}

/** @throws Error when the bytes of a link are damaged */
function textOf(bytes: Uint8Array): Uint8Array {
  const end = bytes.length - CHECKSUM_BYTES;
  // Bytes without room are dropped, so the checksum of a longer text differs.
  const text = inflateSync(bytes.subarray(0, end), { out: new Uint8Array(Math.min(MOST_BYTES, end * MOST_EXPANSION)) });
  // zlib ends with the checksum, also where it compresses nothing.
  const checksum = zlibSync(text, { level: 0 }).subarray(-CHECKSUM_BYTES);
  if (checksum.some((byte, index) => byte !== bytes[end + index])) throw new Error('the link is damaged');
  return text;
}
