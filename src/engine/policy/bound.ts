/** The maximum size of a list, map or text of a policy. */
export interface Bound {
  readonly maximum: number;
  /** The unit of the count: `characters` of a text, else the elements of a list or map. */
  readonly unit: string;
  /** Where in a spec, as docs/limits.md names it. */
  readonly at: string;
}

export function boundProblem({ maximum, unit }: Bound, count: number): string | undefined {
  return count > maximum ? `must have at most ${maximum} ${unit}, not ${count}` : undefined;
}

/** The length of a text as JSON schemas count it: in code points. */
export function textLength(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** The bound of a list of choices: as many as there are, as no choice may be listed twice. */
export function choicesBound(words: readonly string[]): Bound {
  return { maximum: words.length, unit: 'values', at: '' };
}
