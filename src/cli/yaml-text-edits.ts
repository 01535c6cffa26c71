import type { CST, Pair, ParsedNode } from 'yaml';
import type { YamlNode } from '../sources/yaml-values.ts';

/** A key and its value as the parser gives them. */
export type YamlPair = Pair<ParsedNode, YamlNode>;

/** One item of a mapping in the concrete syntax: what stands before the key, the key, what stands before the value, the value. */
export interface PairTokens {
  readonly start: readonly CST.SourceToken[];
  readonly key?: CST.Token | null;
  readonly sep?: readonly CST.SourceToken[];
  readonly value?: CST.Token;
}

/** A stretch of a text and what takes its place. */
export interface TextEdit {
  readonly start: number;
  /** The same as start when nothing is taken out. */
  readonly end: number;
  readonly text: string;
  /** Of edits at the same place the deeper one comes first: it continues what stands before. */
  readonly depth: number;
}

/** The text with all edits made. Edits at the same place and depth keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => a.start - b.start || b.depth - a.depth)) {
    result += text.slice(done, start) + replacement;
    done = end;
  }
  return result + text.slice(done);
}

/** Where the first thing in an item starts that is not white space or a comment; undefined when there is nothing before its colon. */
export function contentStart({ start, key }: PairTokens): number | undefined {
  const first = start.find(isSignificant);
  return first?.offset ?? key?.offset;
}

/** Where the last thing in an item ends that is not white space or a comment; undefined when there is nothing else. */
export function contentEnd({ start, key, sep, value }: PairTokens): number | undefined {
  if (value !== undefined) return tokenEnd(value);
  return lastSignificantEnd(sep ?? []) ?? (key ? tokenEnd(key) : lastSignificantEnd(start));
}

/** Where the last token ends that is not white space or a comment. */
export function lastSignificantEnd(tokens: readonly CST.SourceToken[]): number | undefined {
  const last = tokens.findLast(isSignificant);
  return last && last.offset + last.source.length;
}

function isSignificant({ type }: CST.SourceToken): boolean {
  return type !== 'space' && type !== 'newline' && type !== 'comment';
}

/** Where a token's content ends. A block scalar ends after its last line break. */
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

/** Where the line ends that holds the content before an offset: after its line break, or at the text's end. */
export function lineEndAfter(text: string, offset: number): number {
  if (text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

/** Where a line's content ends, before its line break, given where the line ends. */
export function beforeLineBreak(text: string, lineEnd: number): number {
  if (text[lineEnd - 1] !== '\n') return lineEnd;
  return text[lineEnd - 2] === '\r' ? lineEnd - 2 : lineEnd - 1;
}

/** White space at the start of the line that an offset is in. */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /\uFEFF?([ \t]*)/y.exec(text.slice(start, offset))?.[1] ?? '';
}

/** True when there is only white space before an offset on its line. Looks no further back than it must: JSON can be one line. */
export function startsLine(text: string, offset: number): boolean {
  let before = offset - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return before < 0 || text[before] === '\n' || (before === 0 && text[0] === '\uFEFF');
}

/** Whole lines put in at a line start, or after a last line that has no line break; then the text goes on ending without one. */
export function insertLines(text: string, at: number, lines: readonly string[], eol: string, depth: number): TextEdit {
  const lineBreak = lineBreakBefore(text, at) ?? eol;
  const joined = lines.join(lineBreak);
  const atLineStart = at === 0 || text[at - 1] === '\n';
  return { start: at, end: at, depth, text: atLineStart ? joined + lineBreak : lineBreak + joined };
}

/** The line break that the text uses just above an offset. */
export function lineBreakBefore(text: string, at: number): string | undefined {
  const last = text.lastIndexOf('\n', at - 1);
  if (last === -1 || at === 0) return undefined;
  return text[last - 1] === '\r' ? '\r\n' : '\n';
}
