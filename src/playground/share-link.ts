import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';
import { isJsonObject, stringMember } from '../json/json-value.ts';
import { LONGEST_TEXT } from './playground-texts.ts';
import type { PlaygroundTexts } from './playground-texts.ts';

/** The fragment begins with the version of its format. */
const VERSION = 'v1:';

/** The most bytes that a link may hold: two texts, escaped as JSON. A small link could expand to gigabytes. */
const MOST_BYTES = 8 * LONGEST_TEXT;

/** The texts as the fragment of an address, without `#`. The fragment never leaves the browser. */
export function linkFragment({ manifests, policies }: PlaygroundTexts): string {
  const bytes = deflateSync(strToU8(JSON.stringify({ manifests, policies })), { level: 9 });
  const base64 = btoa(strFromU8(bytes, true));
  return VERSION + base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The texts of a fragment. Undefined when the fragment is no link of the playground, or is damaged or too long. */
export function textsOfFragment(fragment: string): PlaygroundTexts | undefined {
  if (!fragment.startsWith(VERSION)) return undefined;
  try {
    const base64 = fragment.slice(VERSION.length).replaceAll('-', '+').replaceAll('_', '/');
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(inflated(atob(base64))));
    if (!isJsonObject(value)) return undefined;
    const [manifests, policies] = [stringMember(value, 'manifests'), stringMember(value, 'policies')];
    return manifests === undefined || policies === undefined ? undefined : { manifests, policies };
  } catch {
    return undefined;
  }
}

/** @throws Error when the bytes are damaged, or expand to more than MOST_BYTES */
function inflated(text: string): Uint8Array {
  const bytes = strToU8(text, true);
  const parts: Uint8Array[] = [];
  let size = 0;
  const ends: boolean[] = [];
  const inflate = new Inflate((part, isLast) => {
    size += part.length;
    if (size > MOST_BYTES) throw new Error('the link is too long');
    parts.push(part);
    ends.push(isLast);
  });
  // Small steps: each step expands to a thousand times its size at most.
  for (let start = 0; start < bytes.length; start += 1024)
    inflate.push(bytes.subarray(start, start + 1024), start + 1024 >= bytes.length);
  if (ends.at(-1) !== true) throw new Error('the link is cut');
  const whole = new Uint8Array(size);
  parts.reduce((offset, part) => {
    whole.set(part, offset);
    return offset + part.length;
  }, 0);
  return whole;
}
