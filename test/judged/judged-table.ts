import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** `useful`: a maintainer of the product would change something. `pedantic`: true, and nobody would. */
export const JUDGEMENTS = ['useful', 'pedantic', 'false', 'harmful'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

/** The judgement of findings of one cause. */
interface JudgedEntry {
  /** YAML reads `false` as a boolean. */
  readonly judgement: Judgement | false;
  /** One sentence: what a maintainer of the product would do about it, and why. */
  readonly why: string;
  /** Where the product's documentation or its maintainers say so. */
  readonly source?: string;
  /** The keys that `npm run judge` prints. */
  readonly keys: readonly string[];
}

/**
 * Reads a table of judgements.
 *
 * @throws Error that names the entry, for an unknown judgement, a missing sentence, or a key that is judged twice
 */
export function judgementsIn(file: string): ReadonlyMap<string, Judgement> {
  const entries = parse(readFileSync(file, 'utf8')) as readonly JudgedEntry[];
  const judgements = new Map<string, Judgement>();
  for (const [index, { judgement: written, why, keys }] of entries.entries()) {
    const at = `${file}: [${index}]`;
    const judgement = JUDGEMENTS.find((each) => each === String(written));
    if (judgement === undefined)
      throw new Error(`${at}.judgement: must be one of ${JUDGEMENTS.join(', ')}, not ${String(written)}`);
    if (typeof why !== 'string' || !why.endsWith('.')) throw new Error(`${at}.why: must be a sentence`);
    for (const key of keys) {
      if (judgements.has(key)) throw new Error(`${at}.keys: is judged twice: ${key}`);
      judgements.set(key, judgement);
    }
  }
  return judgements;
}
