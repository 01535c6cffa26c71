import type { CST, Pair, ParsedNode } from 'yaml';
import type { YamlNode } from '../reading/values.ts';

export type YamlPair = Pair<ParsedNode, YamlNode>;

export interface Addition {
  readonly key?: string;
  readonly value: unknown;
}

/** One item of a collection in the concrete syntax, with the tokens before the key and before the value. */
export interface PairTokens {
  readonly start: readonly CST.SourceToken[];
  readonly key?: CST.Token | null;
  readonly sep?: readonly CST.SourceToken[];
  readonly value?: CST.Token;
}

export interface TextEdit {
  readonly start: number;
  /** Equal to start when the edit removes nothing. */
  readonly end: number;
  readonly text: string;
  /** Of edits at the same place, the deeper edit is applied first, because it continues the preceding text. */
  readonly depth: number;
}

/** Returns edits in the order of the text. Edits at the same place and depth keep their order. */
export function orderedEdits(edits: readonly TextEdit[]): TextEdit[] {
  return edits.toSorted((a, b) => a.start - b.start || b.depth - a.depth);
}

/** Applies all edits to the text. Edits at the same place and depth keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: replacement } of orderedEdits(edits)) {
    result += text.slice(done, start) + replacement;
    done = end;
  }
  return result + text.slice(done);
}

/** Returns the start of an item without white space, comments and the comma before it. */
export function contentStart({ start, key, value }: PairTokens): number | undefined {
  const first = start.find((token) => isSignificant(token) && token.type !== 'comma');
  return first?.offset ?? key?.offset ?? value?.offset;
}

/** Returns the end of an item without white space and comments; undefined for an item without content. */
export function contentEnd({ start, key, sep, value }: PairTokens): number | undefined {
  if (value !== undefined) return tokenEnd(value);
  return lastSignificantEnd(sep ?? []) ?? (key ? tokenEnd(key) : lastSignificantEnd(start));
}

/** True for an item with content. The end of a collection may be an item with white space or a comment only. */
export function hasContent({ start, key, sep, value }: PairTokens): boolean {
  if (key || value !== undefined) return true;
  return start.some(({ type }) => type === 'seq-item-ind') || lastSignificantEnd(sep ?? []) !== undefined;
}

/** Returns the start of the line that contains an offset. */
export function lineStartBefore(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the end of the last token that is not white space or a comment. */
export function lastSignificantEnd(tokens: readonly CST.SourceToken[]): number | undefined {
  const last = tokens.findLast(isSignificant);
  return last && last.offset + last.source.length;
}

function isSignificant({ type }: CST.SourceToken): boolean {
  return type !== 'space' && type !== 'newline' && type !== 'comment';
}

/** Returns the end of a token's content. A block scalar ends after its last line break. */
export function tokenEnd(token: CST.Token): number {
  switch (token.type) {
    case 'block-map':
    case 'block-seq':
      return token.items.reduce((end, item) => contentEnd(item) ?? end, token.offset);
    case 'flow-collection':
      return (token.end[0]?.offset ?? token.offset) + 1;
    case 'block-scalar':
      return token.offset + [...token.props, token].reduce((length, part) => length + sourceLength(part), 0);
    default:
      return token.offset + sourceLength(token);
  }
}

function sourceLength(token: CST.Token): number {
  return 'source' in token ? token.source.length : 0;
}

/** Returns the end of the line with the content before an offset: after the line break, or at the end of the text. */
export function lineEndAfter(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Returns the end of a line's content, before the line break. The argument is the end of the line. */
export function beforeLineBreak(text: string, lineEnd: number): number {
  if (text[lineEnd - 1] !== '\n') return lineEnd;
  return text[lineEnd - 2] === '\r' ? lineEnd - 2 : lineEnd - 1;
}

/** Returns the white space at the start of the line that contains an offset. */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /\uFEFF?([ \t]*)/y.exec(text.slice(start, offset))?.[1] ?? '';
}

/**
 * True when only white space precedes an offset on its line. The search stops at the first other character, because a
 * JSON text may be one very long line.
 */
export function startsLine(text: string, offset: number): boolean {
  let before = offset - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n' || (before === 0 && text[0] === '\uFEFF');
}

/** Inserts whole lines at the start of a line, or after a last line without a line break, which stays so. */
export function insertLines(text: string, at: number, lines: readonly string[], eol: string, depth: number): TextEdit {
  const lineBreak = lineBreakBefore(text, at) ?? eol;
  const joined = lines.join(lineBreak);
  const atLineStart = at === 0 || text[at - 1] === '\n';
  return { start: at, end: at, depth, text: atLineStart ? joined + lineBreak : lineBreak + joined };
}

/** Returns the line break that the text uses directly above an offset. */
export function lineBreakBefore(text: string, at: number): string | undefined {
  const last = text.lastIndexOf('\n', at - 1);
  if (last === -1 || at === 0) return undefined;
  return text[last - 1] === '\r' ? '\r\n' : '\n';
}

/** Returns the line ending for places that show no line ending of their own. */
export function lineEnding(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
