import type { CST } from 'yaml';
import { visible } from '../../base/text/visible.ts';
import { endsInBlockScalar, renderBlock, renderBlockItem, yamlQuoted } from './rendering.ts';
import { flowReplacement } from './flow-edits.ts';
import {
  beforeLineBreak,
  contentEnd,
  lastSignificantEnd,
  lineBreakBefore,
  lineEndAfter,
  lineStartBefore,
  tokenEnd,
} from './text-edits.ts';
import type { Layout } from './layout.ts';
import type { PairTokens, TextEdit } from './text-edits.ts';

export interface Slot {
  readonly parent: CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
  readonly tokens: PairTokens;
}

/** Returns the edits that replace a value. Undefined when the notation of the item is not supported. */
export function replacement(text: string, slot: Slot, value: unknown, layout: Layout): TextEdit[] | undefined {
  const { parent, tokens } = slot;
  const old = tokens.value;
  if (parent.type === 'flow-collection') {
    const edit = flowReplacement(text, parent, tokens, value, layout, quotedLike(old, value));
    return edit && [edit];
  }
  const head = lastSignificantEnd(parent.type === 'block-map' ? (tokens.sep ?? []) : tokens.start);
  if (head === undefined) return undefined;
  const [first = '', ...rest] = linesOf(parent, old, value, layout);
  const lines = rest.map((line) => (line === '' ? line : ' '.repeat(parent.indent) + line));
  // A block scalar at the end of the text needs a line break.
  const isLast = lineEndAfter(text, contentEnd(tokens) ?? head) === text.length && !text.endsWith('\n');
  if (isLast && lines.length > 0 && endsInBlockScalar(value)) lines.push('');
  return blockReplacement(text, { head, old, first, lines }, layout, parent.indent + 1);
}

/** Returns the text after the colon or the dash, and the lines below. */
function linesOf(
  parent: Slot['parent'],
  old: CST.Token | undefined,
  value: unknown,
  layout: Layout,
): readonly string[] {
  const quoted = quotedLike(old, value);
  if (quoted !== undefined) return [` ${quoted}`];
  const [first = '', ...rest] =
    parent.type === 'block-map' ? renderBlock('k', value, layout) : renderBlockItem(value, layout);
  return [first.slice(parent.type === 'block-map' ? 'k:'.length : '-'.length), ...rest];
}

interface BlockValue {
  /** The end of the colon, the dash or the anchor before the value. */
  readonly head: number;
  readonly old: CST.Token | undefined;
  readonly first: string;
  readonly lines: readonly string[];
}

function blockReplacement(
  text: string,
  { head, old, first, lines }: BlockValue,
  layout: Layout,
  depth: number,
): TextEdit[] {
  const start = old?.offset ?? head;
  const end = old === undefined ? head : tokenEnd(old);
  const eol = lineBreakBefore(text, lineEndAfter(text, head)) ?? layout.eol;
  const isOnHeadLine = !text.slice(head, start).includes('\n');
  const isOneLine = isOnHeadLine && !text.slice(start, end).includes('\n');
  if (isOneLine) return oneLineReplacement(text, { head, first, lines }, { start, end, eol, depth });
  // The value starts on a line below: its lines are replaced, and comments beside the key stay.
  if (!isOnHeadLine) {
    const below = lineEndAfter(text, end);
    const isEnded = text[below - 1] === '\n';
    const kept = lines.join(eol) + (lines.length > 0 && isEnded ? eol : '');
    return [
      { start: head, end: head, text: first, depth },
      { start: lineStartBefore(text, start), end: below, text: kept, depth },
    ];
  }
  const last = lines.length > 0 || text[end - 1] === '\n' ? beforeLineBreak(text, lineEndAfter(text, end)) : end;
  return [{ start: head, end: last, text: [first, ...lines].join(eol), depth }];
}

/** Keeps the spaces before the value and the comment behind the value. */
function oneLineReplacement(
  text: string,
  { head, first, lines }: Pick<BlockValue, 'head' | 'first' | 'lines'>,
  { start, end, eol, depth }: { start: number; end: number; eol: string; depth: number },
): TextEdit[] {
  const keepsSpace = start > head && first.startsWith(' ');
  const edit = { start: keepsSpace ? start : head, end, text: keepsSpace ? first.slice(1) : first, depth };
  if (lines.length === 0) return [edit];
  const below = beforeLineBreak(text, lineEndAfter(text, end));
  return [edit, { start: below, end: below, text: lines.map((line) => eol + line).join(''), depth }];
}

/** Returns a string in the quotes of the old value. Undefined when the old value has no quotes. */
function quotedLike(old: CST.Token | undefined, value: unknown): string | undefined {
  if (typeof value !== 'string' || old === undefined) return undefined;
  if (old.type === 'double-quoted-scalar') return yamlQuoted(value);
  if (old.type !== 'single-quoted-scalar') return undefined;
  const isPlain = /^[^\t\n]*$/.test(value) && visible(value) === value;
  return isPlain ? `'${value.replaceAll("'", "''")}'` : yamlQuoted(value);
}

/** Returns the edit that gives a pair another key. Undefined for a key that is not one simple scalar. */
export function renamedKey({ key }: PairTokens, name: string, layout: Layout): TextEdit | undefined {
  if (!key || !('source' in key) || key.type === 'alias' || key.type === 'block-scalar') return undefined;
  const [line = ''] = renderBlock(name, 0, layout);
  const plain = /^[A-Za-z][\w-]*$/.test(name) ? line.slice(0, -': 0'.length) : yamlQuoted(name);
  return { start: key.offset, end: tokenEnd(key), text: quotedLike(key, name) ?? plain, depth: 0 };
}
