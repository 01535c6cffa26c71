import type { CST } from 'yaml';
import { tokenEnd } from './yaml-text-edits.ts';

/**
 * True for a collection that the text's end cuts off inside a block scalar, in its last line. Whether the value ends in a line break is then read
 * both ways: kubectl supplies what is missing, libyaml does not. Only text that stays the last keeps its value with both.
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

/** `|-` has no line break at its end, whatever the text has. */
function isStripped({ props }: CST.BlockScalar): boolean {
  return props.some((prop) => prop.type === 'block-scalar-header' && prop.source.includes('-'));
}
