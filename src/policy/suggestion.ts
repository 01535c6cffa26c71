import { distance } from 'fastest-levenshtein';

/** The distance of two texts takes as long as both lengths multiplied; no name that Kubernetes knows is longer. */
const MAX_WORD_LENGTH = 253;

/**
 * The known word that a misspelt one was probably meant to be: one that it is the beginning of, else the nearest by edit distance, if
 * at most two fifths of it differ (two letters in a short word: a swap is two edits). Undefined when nothing is near: a far-fetched guess
 * helps nobody.
 */
export function suggestion(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of known) {
    if (candidate.length > MAX_WORD_LENGTH) continue;
    const target = candidate.toLowerCase();
    if (lower.length >= 3 && target.startsWith(lower)) return candidate;
    const edits = distance(lower, target);
    if (edits < bestDistance) [best, bestDistance] = [candidate, edits];
  }
  if (best === undefined) return undefined;
  return bestDistance <= Math.max(best.length >= 3 ? 2 : 1, Math.round(best.length * 0.4)) ? best : undefined;
}

/** `; did you mean "x"?`, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = suggestion(word, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
