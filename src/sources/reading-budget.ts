/** How many tokens may be read: words, signs, gaps and line ends. Long texts count as several, and what aliases repeat counts again. */
export interface TokenLimits {
  /** In one document: it is read in one go, and nobody is answered meanwhile. */
  readonly document: number;
  /** In all documents together. */
  readonly all: number;
}

/** A text that has more than may be read of it, and where it begins to be too much. */
export class OverBudget extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Counts what is read, so that nothing is built of a text that the memory has no room for: a token takes some two hundred bytes, and a
 * text may have one in every byte.
 */
export class ReadingBudget {
  readonly #limits: TokenLimits;
  #document = 0;
  #all = 0;

  constructor(limits: TokenLimits) {
    this.#limits = limits;
  }

  /** True when not even another document can be read. */
  get isSpent(): boolean {
    return this.#all > this.#limits.all;
  }

  /** In all. */
  get spent(): number {
    return this.#all;
  }

  startDocument(): void {
    this.#document = 0;
  }

  /** Counts so many more. @returns what there is too much of; undefined while there is not */
  spend(tokens: number): string | undefined {
    this.#document += tokens;
    this.#all += tokens;
    const { document, all } = this.#limits;
    if (this.#all > all) return `up to here, the files have more than ${all} tokens together`;
    if (this.#document > document) return `this document has more than ${document} tokens; split it with "---" lines`;
    return undefined;
  }
}

/** Names, keys and signs are shorter. */
const SHORT = 16;
/** A quoted text that is long is put together letter by letter, and so many letters take what a token takes. */
const LETTERS_OF_TOKEN = 4;

/** How many tokens a piece of a text counts as. The lines of a long one count, too: folding makes something of each. */
export function tokensIn(piece: string): number {
  if (piece.length < SHORT) return 1;
  let tokens = Math.floor(piece.length / LETTERS_OF_TOKEN);
  for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', end + 1)) tokens += 1;
  return tokens;
}
