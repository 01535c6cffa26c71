import { Lexer } from 'yaml';
import { positionsIn, type Position } from './documents.ts';

/** A comment of a YAML text. */
export interface YamlComment extends Position {
  /** Without the sign `#` and blanks around. */
  readonly text: string;
  /** Line of the next content below, from 1; for a comment behind content, its own line. Undefined at the end. */
  readonly contentLine: number | undefined;
  /** No content of the document comes before. */
  readonly isHead: boolean;
}

/** Signs of the lexer without text of their own (yaml, parse/cst.ts). */
const MARKS = new Set(['\u0002', '\u0018', '\u001F']);
const SCALAR_FOLLOWS = '\u001F';

/** The comments of a text. A number sign in a scalar begins none. */
export function commentsIn(text: string): readonly YamlComment[] {
  const positionAt = positionsIn(text);
  const comments: YamlComment[] = [];
  /** Comments whose content has not come yet. */
  let waiting: Omit<YamlComment, 'contentLine'>[] = [];
  let [offset, isHead, isScalar, lastLine] = [0, true, false, 0];
  const settle = (contentLine: number | undefined): void => {
    comments.push(...waiting.map((comment) => ({ ...comment, contentLine })));
    waiting = [];
  };
  for (const lexeme of new Lexer().lex(text)) {
    if (MARKS.has(lexeme)) {
      isScalar = lexeme === SCALAR_FOLLOWS;
      continue;
    }
    if (!isScalar && lexeme.startsWith('#')) {
      const place = positionAt(offset);
      const comment = { ...place, text: lexeme.slice(1).trim(), isHead };
      if (place.line === lastLine) comments.push({ ...comment, contentLine: place.line });
      else waiting.push(comment);
    } else if (!isScalar && /^(?:---|\.\.\.)$/.test(lexeme)) {
      // What stands before the first separator belongs to the document behind it.
      if (!isHead) settle(undefined);
      isHead = true;
    } else if (isScalar || (/\S/.test(lexeme) && !lexeme.startsWith('%') && lexeme !== '\uFEFF')) {
      isHead = false;
      settle(positionAt(offset).line);
      lastLine = positionAt(offset + lexeme.trimEnd().length).line;
    }
    isScalar = false;
    offset += lexeme.length;
  }
  settle(undefined);
  return comments;
}
