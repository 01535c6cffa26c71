import { distance } from 'fastest-levenshtein';

/** The time for an edit distance grows with the product of both lengths. Kubernetes names have at most 253. */
const MAX_WORD_LENGTH = 253;

/**
 * Finds the known word that is most similar to a misspelt word. A known word that begins with the misspelt word comes
 * first, then the nearest word by edit distance. At most two fifths of the letters may differ. In a short word, two
 * letters may differ, because a swap is two edits. Undefined if no known word is near.
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

/** Returns `; did you mean "x"?`, or an empty text. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = suggestion(word, known);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
