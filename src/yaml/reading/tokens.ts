import { Composer, Lexer, Parser, type CST, type Document } from 'yaml';

/**
 * Highest nesting depth that is read. CRDs are the deepest usual manifests and stay below 100 levels. The composer and
 * every recursion over values run out of stack above about 1,500 levels.
 */
export const MAX_DEPTH = 500;
export const NESTING_MESSAGE = `nested more than ${MAX_DEPTH} levels deep`;

export interface TokenOptions {
  readonly anyIndent?: boolean;
  readonly budget?: ReadingBudget | undefined;
  /** Called every few milliseconds, so that a caller can show that the reading goes on. */
  readonly onProgress?: (() => void) | undefined;
}

/** How many pieces of text are read between two calls of onProgress. A piece takes about 1 µs. */
const PIECES_A_CALL = 4096;

/**
 * Returns the concrete syntax tokens of a text. YAML requires the lines of a flow collection or a quoted scalar to be
 * indented deeper than the surrounding block. libyaml, which kubectl uses, does not check this. With `anyIndent`, this
 * function does not check it either.
 *
 * @throws {Unreadable} as soon as the text exceeds the budget, or a collection is nested well below MAX_DEPTH: the
 * rest of such a text need not be read
 */
export function yamlTokens(text: string, options: TokenOptions = {}): CST.Token[] {
  const lexer = new Lexer();
  if (options.anyIndent === true) acceptAnyIndent(lexer);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let pieces = 0;
  for (const lexeme of lexer.lex(text)) {
    if (++pieces % PIECES_A_CALL === 0) options.onProgress?.();
    const excess = options.budget?.spend(tokensIn(lexeme));
    if (excess !== undefined) throw new Unreadable(parser.offset, excess);
    for (const token of parser.next(lexeme)) tokens.push(token);
    // The stack contains the document and the open collections. Levels of values are counted later, exactly.
    if (parser.stack.length > MAX_DEPTH + 2) throw new Unreadable(parser.offset, NESTING_MESSAGE);
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Members of the library's lexer that are not public. If a release renames them, tests fail. */
interface LexerParts {
  indentNext: number;
  parseFlowCollection?(): Generator<string, unknown>;
  parseQuotedScalar?(): Generator<string, unknown>;
}

function acceptAnyIndent(lexer: Lexer): void {
  const parts = lexer as unknown as LexerParts;
  for (const name of ['parseFlowCollection', 'parseQuotedScalar'] as const) {
    const strict = parts[name]?.bind(lexer);
    if (strict === undefined) continue;
    parts[name] = function* () {
      const { indentNext } = parts;
      parts.indentNext = 0;
      const state = yield* strict();
      parts.indentNext = indentNext;
      return state;
    };
  }
}

/**
 * Highest number of errors that the composer creates. Only the first error by position is reported, and errors are
 * created almost in this order. A text may have an error in every byte, and each error costs a stack trace and a line
 * of text.
 */
const MOST_ERRORS = 100;

/** Composes documents from tokens. The value of every scalar is its text, and duplicate keys are allowed. */
export function composeDocuments(tokens: readonly CST.Token[], keepSourceTokens: boolean): Document.Parsed[] {
  // With the failsafe schema, scalars stay text, and scalars.ts then reads them as kubectl does. Duplicate keys are
  // found later, because the library's comparison takes quadratic time.
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, keepSourceTokens, resolveKnownTags: false });
  limitErrors(composer);
  return [...composer.compose(firstErrors(tokens))] as Document.Parsed[];
}

function* firstErrors(tokens: readonly CST.Token[]): Generator<CST.Token> {
  let errors = 0;
  for (const token of tokens) if (token.type !== 'error' || ++errors <= MOST_ERRORS) yield token;
}

/**
 * A member of the library's composer that is not public. If a release renames the member, all errors are created again.
 */
interface ComposerParts {
  onError?: (...error: unknown[]) => void;
}

function limitErrors(composer: Composer): void {
  const parts = composer as unknown as ComposerParts;
  const { onError } = parts;
  if (onError === undefined) return;
  let errors = 0;
  parts.onError = (...error) => {
    if (++errors <= MOST_ERRORS) onError(...error);
  };
}

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
  /** Number of tokens in all documents so far. */
  spent = 0;

  constructor(limits: TokenLimits) {
    this.#limits = limits;
  }

  /** True when no further document can be read. */
  get isSpent(): boolean {
    return this.spent > this.#limits.all;
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
    this.spent += tokens;
    const { document, all } = this.#limits;
    if (this.spent > all) return `up to here, the files have more than ${all} tokens together`;
    if (this.#document > document) return `this document has more than ${document} tokens; split it with "---" lines`;
    return undefined;
  }
}

/** Length in characters from which a piece counts as several tokens. Names, keys and signs are shorter. */
const SHORT = 16;
/** The library builds a long quoted text letter by letter. This many letters take as much memory as a token. */
const LETTERS_OF_TOKEN = 4;

/** Returns how many tokens a piece of text counts as. Folding creates text for each line of a long piece. */
function tokensIn(piece: string): number {
  if (piece.length < SHORT) return 1;
  let tokens = Math.floor(piece.length / LETTERS_OF_TOKEN);
  for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', end + 1)) tokens += 1;
  return tokens;
}
