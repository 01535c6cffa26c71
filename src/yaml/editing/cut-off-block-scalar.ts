import type { CST } from 'yaml';
import { tokenEnd } from './text-edits.ts';

/**
 * True for a collection whose last line is a block scalar without a final line break. Parsers disagree on the value of
 * such a scalar: kubectl adds the missing line break, libyaml does not. The value is the same for both only if the
 * scalar stays at the end of the text.
 */
export function isOpenEnded(text: string, collection: CST.Token): boolean {
  if (text.endsWith('\n')) return false;
  const last = lastToken(collection);
  return last?.type === 'block-scalar' && tokenEnd(last) === text.length && !isStripped(last);
}

function lastToken(token: CST.Token | undefined): CST.Token | undefined {
  let last = token;
  while (last?.type === 'block-map' || last?.type === 'block-seq') last = last.items.at(-1)?.value;
  return last;
}

/** `|-` always strips the final line break. */
function isStripped({ props }: CST.BlockScalar): boolean {
  return props.some((prop) => prop.type === 'block-scalar-header' && prop.source.includes('-'));
}
