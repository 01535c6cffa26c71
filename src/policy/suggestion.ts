import { distance } from 'fastest-levenshtein';

/**
 * The known word that a misspelt one was probably meant to be: the nearest by edit distance, if at most a third of it differs.
 * Undefined when nothing is near: a far-fetched guess helps nobody.
 */
export function suggestion(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits];
  }
  return best !== undefined && bestDistance <= Math.max(1, Math.floor(best.length / 3)) ? best : undefined;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = suggestion(word, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
