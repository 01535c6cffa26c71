import { Lexer, Parser } from 'yaml';
import type { CST } from 'yaml';
import { OverBudget, tokensIn } from './reading-budget.ts';
import type { ReadingBudget } from './reading-budget.ts';

/** A text that is nested deeper than it may be, and where it is so. */
export class TooDeep extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('nested too deeply');
    this.offset = offset;
  }
}

export interface TokenOptions {
  readonly anyIndent?: boolean;
  readonly maxDepth?: number;
  readonly budget?: ReadingBudget | undefined;
}

/**
 * The concrete syntax of a text. YAML wants the lines of a flow collection or a quoted scalar to stand further in than the block
 * around it; libyaml, which kubectl reads with, does not look. With `anyIndent` this does not either.
 *
 * @throws {TooDeep} as soon as there is a collection well below `maxDepth`: nobody waits for the end of a text that is not read anyway
 * @throws {OverBudget} as soon as there are more tokens than the budget has
 */
export function yamlTokens(text: string, options: TokenOptions = {}): CST.Token[] {
  const lexer = new Lexer();
  if (options.anyIndent === true) acceptAnyIndent(lexer);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  // The stack has the document, and what else is open: a level more is for the exact count of whoever asked.
  const mostOpen = (options.maxDepth ?? Infinity) + 2;
  for (const lexeme of lexer.lex(text)) {
    const excess = options.budget?.spend(tokensIn(lexeme));
    if (excess !== undefined) throw new OverBudget(parser.offset, excess);
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > mostOpen) throw new TooDeep(parser.offset);
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** What the library's lexer has but does not publish. A version that names them otherwise is strict again, and tests say so. */
interface LexerParts {
  /** The least indentation that a line must have to go on with what is being read. */
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
