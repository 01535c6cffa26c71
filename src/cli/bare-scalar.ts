import { validProbe } from '../engine/checks/valid-probe.ts';
import type { Violation } from '../engine/checks/violation.ts';
import type { Manifest } from './input/manifest.ts';

/** The decoder's word for a value that should be a string, and what YAML calls the value. */
const DECODED_AS = /^json: cannot unmarshal (bool|number)\b.* of type string$/;

/**
 * Names the word in the file where YAML reads a word without quotes as a boolean or a number, but the field is a
 * string: `image: y`. The API server only sees `true`. The edit writes the word back as a string.
 */
export function withBareScalar(
  violation: Violation,
  { document, path }: Pick<Manifest, 'document' | 'path'>,
): Violation {
  const type = DECODED_AS.exec(violation.message)?.[1];
  if (type === undefined || violation.check !== validProbe.id) return violation;
  const word = document.plainScalar([...path, ...violation.path]);
  if (word === undefined || word.length > LONGEST_WORD) return violation;
  return {
    ...violation,
    remedy: `quote it: ${word} is a ${type === 'bool' ? 'boolean' : 'number'} in YAML 1.1`,
    edits: [{ path: violation.path, value: word }],
  };
}

/** Booleans are short. A longer number is no help in a message. */
const LONGEST_WORD = 40;
