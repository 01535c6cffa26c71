/** Limits on the number of tokens. Long texts count as several, and values that aliases repeat count again. */
export interface TokenLimits {
  /** Limit for one document. A document is read without a pause, so the server cannot answer requests meanwhile. */
  readonly document: number;
  /** Limit for all documents together. */
  readonly all: number;
}

/** The error for a text above a limit, or without a value, with the offset of the cause. */
export class Unreadable extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Counts tokens while a text is read: a token takes about 200 bytes, and each byte may be a token. */
export class ReadingBudget {
  readonly #limits: TokenLimits;
  #document = 0;
  #all = 0;

  constructor(limits: TokenLimits) {
    this.#limits = limits;
  }

  /** True when no further document can be read. */
  get isSpent(): boolean {
    return this.#all > this.#limits.all;
  }

  /** Number of tokens in all documents so far. */
  get spent(): number {
    return this.#all;
  }

  startDocument(): void {
    this.#document = 0;
  }

  /**
   * Counts more tokens.
   *
   * @returns a message about the exceeded limit; undefined while the count is within the limits
   */
  spend(tokens: number): string | undefined {
    this.#document += tokens;
    this.#all += tokens;
    const { document, all } = this.#limits;
    if (this.#all > all) return `up to here, the files have more than ${all} tokens together`;
    if (this.#document > document) return `this document has more than ${document} tokens; split it with "---" lines`;
    return undefined;
  }
}

/** Length in characters from which a piece counts as several tokens. Names, keys and signs are shorter. */
const SHORT = 16;
/** The library builds a long quoted text letter by letter. This many letters take as much memory as a token. */
const LETTERS_OF_TOKEN = 4;

/** Returns how many tokens a piece of text counts as. Folding creates text for each line of a long piece. */
export function tokensIn(piece: string): number {
  if (piece.length < SHORT) return 1;
  let tokens = Math.floor(piece.length / LETTERS_OF_TOKEN);
  for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', end + 1)) tokens += 1;
  return tokens;
}
