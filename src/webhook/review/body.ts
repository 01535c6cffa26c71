import { MOST_LEVELS, MOST_MEMBERS, TOO_DEEP, TOO_MANY_MEMBERS } from '../../engine/workload/size-limits.ts';

/** The text of a review, parsed. `unread` says why a part of the text was not read, or not looked at. */
export type ReadBody =
  | { readonly value: unknown; readonly unread?: string | undefined; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * Parses a text within the bounds of members and levels. Of a text that is beyond them, or not whole, the value ends
 * with the last whole member of the request, or of an object in the request. It is undefined without such a member.
 *
 * JSON.parse keeps a `__proto__` key. Fastify's parser would drop the key, and the object would evade the policy.
 *
 * @param unread why `text` is only the beginning of the body
 */
export function parseBody(text: string, unread?: string): ReadBody {
  const { problem, end, level } = measured(text);
  const reason = unread ?? problem;
  try {
    if (reason === undefined) return { value: JSON.parse(text) as unknown };
    return { value: JSON.parse(text.slice(0, end) + '}'.repeat(level)) as unknown, unread: reason };
  } catch (error) {
    if (reason !== undefined) return { value: undefined, unread: reason };
    // V8's whole message may quote the text, which may hold a secret.
    const position = / at position \d+/.exec((error as Error).message)?.[0] ?? '';
    return { problem: `the body is not JSON${position}; send an AdmissionReview as JSON` };
  }
}

/** Levels of a review: the body, `request`, and the objects in it such as `object`, whose metadata come first. */
const REQUEST_LEVEL = 2;
const OBJECT_LEVEL = 3;

interface Measures {
  readonly problem?: string;
  /** The last comma between members of the request, or of an object in it, and the level of the comma. */
  readonly end: number;
  readonly level: number;
}

/** Measures a text before it is parsed: five characters, such as `{"1":`, may take 400 bytes afterwards. */
function measured(text: string): Measures {
  let [members, depth, end, level] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    } else if (sign === '}' || sign === ']') {
      depth -= 1;
    } else if (sign === ',' || sign === ':' || sign === '[' || sign === '{') {
      members += 1;
      if (members > MOST_MEMBERS) return { problem: TOO_MANY_MEMBERS, end, level };
      if (sign === '[' || sign === '{') depth += 1;
      if (depth > MOST_LEVELS) return { problem: TOO_DEEP, end, level };
      if (sign === ',' && (depth === REQUEST_LEVEL || depth === OBJECT_LEVEL)) [end, level] = [at, depth];
    }
  }
  return { end, level };
}
