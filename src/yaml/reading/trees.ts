import { jsonOf } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { outlineOf, type Outline } from './outline.ts';
import { Unreadable, composeDocuments, yamlTokens, type TokenOptions } from './tokens.ts';
import { treeValue, type YamlFault, type YamlTree } from './values.ts';
import { isAlias, isScalar, visit, type Alias, type Document, type ParsedNode } from 'yaml';

/** A piece of a text with at most one YAML document, including the marker lines and comments around the document. */
export interface YamlChunk {
  /** Offset of the piece in the whole text. The concatenation of all pieces is the text. */
  readonly start: number;
  readonly text: string;
}

/** The nodes of a chunk, or the fault for which there are none. Neither for a chunk without a document. */
interface Composed {
  readonly tree?: YamlTree;
  readonly fault?: YamlFault;
  /** The document is too large in every reading mode. */
  readonly isBeyondLimits?: boolean;
}

/** One chunk of a stream. An empty chunk has neither a tree nor faults. */
export interface StreamPart {
  readonly chunk: YamlChunk;
  /** Counts documents from 0, also faulty ones. */
  readonly index: number;
  /** Undefined for a document that is not parsed, too. */
  readonly tree: YamlTree | undefined;
  /** The value as plain JSON data. Undefined for an unreadable document. */
  readonly value: unknown;
  /** Duplicate keys, and last what makes the document unreadable. */
  readonly faults: readonly YamlFault[];
}

export interface ReadingOptions extends TokenOptions {
  readonly keepSourceTokens?: boolean;
  /** True for a document that is not parsed: its value is its outline. */
  readonly isUnread?: ((outline: Outline) => boolean) | undefined;
}

/**
 * Reads the documents of a text on demand, so that a caller can do other work in between, or stop. Never throws: a
 * chunk that cannot be read becomes a fault of this chunk.
 */
export function* yamlStreamParts(text: string, options: ReadingOptions = {}): Generator<StreamPart> {
  let index = 0;
  for (const whole of splitYaml(text)) {
    const outline = options.isUnread && outlineOf(whole.text);
    if (outline !== undefined && options.isUnread?.(outline) === true) {
      options.onProgress?.();
      yield { chunk: whole, index, tree: undefined, value: outline, faults: [] };
      index += 1;
      continue;
    }
    for (const { chunk, tree, fault } of readChunk(whole, options)) {
      const faults = fault === undefined ? [] : [fault];
      const value = tree && treeValue(tree, faults, options.budget);
      yield { chunk, index, tree, value, faults };
      if (tree !== undefined || fault !== undefined) index += 1;
    }
  }
}

/**
 * Splits a text before its `---` lines and after its `...` lines, as kubectl does. A marker at the start of a line
 * always splits, even inside a quoted scalar. A fault in one document therefore cannot affect the next document.
 */
export function* splitYaml(text: string): Generator<YamlChunk> {
  let start = 0;
  for (const end of cuts(text)) {
    if (end > start) yield { start, text: text.slice(start, end) };
    start = end;
  }
}

function* cuts(text: string): Generator<number> {
  let start = 0;
  for (const { 0: found, index } of text.matchAll(marker)) {
    if (found.endsWith('-')) {
      // Comments and directives before the first marker belong to the marker's document.
      if (isPrologue(text, start, index)) continue;
      start = index;
    } else {
      const end = text.indexOf('\n', index);
      start = end === -1 ? text.length : end + 1;
    }
    yield start;
  }
  yield text.length;
}

/** Matches at line starts after LF only. The flag m of /^/m would also match after U+2028. */
const marker = /(?<![^\n])\uFEFF?(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;

/** True when the range contains only blank lines, comments and directives. Both ends are line starts. */
function isPrologue(text: string, start: number, end: number): boolean {
  for (let line = start; line < end; line = text.indexOf('\n', line) + 1) {
    const rest = text.slice(line, text.indexOf('\n', line)).replace(/^\uFEFF/, '');
    if (!rest.startsWith('%') && !/^[ \t\r]*(?:#|$)/.test(rest)) return false;
  }
  return true;
}

/**
 * Reads a chunk strictly first, because the strict mode gives better positions for faults. On a fault, the lenient mode
 * accepts texts that violate YAML but work in kubectl. Both modes share one document's budget, so a fault does not
 * double the time.
 */
function* readChunk(
  chunk: YamlChunk,
  options: ReadingOptions,
): Generator<Composed & { readonly chunk: YamlChunk }, void, undefined> {
  options.budget?.startDocument();
  options.onProgress?.();
  const strict = composeChunk(chunk.text, options);
  if (strict.fault === undefined || strict.isBeyondLimits === true) {
    yield { chunk, ...strict };
    return;
  }
  const objects = splitJsonStream(chunk.text);
  if (objects !== undefined) {
    let { start } = chunk;
    for (const text of objects) {
      yield* readChunk({ start, text }, options);
      start += text.length;
    }
    return;
  }
  const lenient = composeChunk(chunk.text, { ...options, anyIndent: true });
  // People often have chart templates, which are no valid YAML until they are rendered.
  const hint = chunk.text.includes('{{') ? ' (is this a template that was not rendered?)' : '';
  const { offset, message } = strict.fault;
  yield { chunk, ...(lenient.tree === undefined ? faulty(offset, message + hint) : lenient) };
}

function composeChunk(text: string, options: ReadingOptions): Composed {
  try {
    return composed(composeDocuments(yamlTokens(text, options), options.keepSourceTokens ?? false), text.includes('*'));
  } catch (error) {
    if (error instanceof Unreadable) return faulty(error.offset, error.message, true);
    if (error instanceof RangeError) throw error;
    return faulty(0, messageOf(error));
  }
}

function faulty(offset: number, message: string, isBeyondLimits = false): Composed {
  return { fault: { offset, message }, isBeyondLimits };
}

function composed([document, second]: Document.Parsed[], mayHaveAliases: boolean): Composed {
  if (document === undefined) return {};
  // Report only the first error, because the errors after it are usually its consequences.
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return faulty(first.pos[0], first.message);
  if (second !== undefined) return faulty(second.range[0], 'a second document without a "---" line before it');
  const root = document.contents;
  if (root === null || isNothing(root)) return {};
  if (!mayHaveAliases) return { tree: { document, root, targets: new Map() } };
  // An alias is the last node before it with its anchor. An anchor's name may be used again.
  const anchors = new Map<string, ParsedNode>();
  const targets = new Map<Alias, ParsedNode>();
  let unknown: Alias | undefined;
  visit(root, {
    Node: (_key, node) => {
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node as ParsedNode);
        return;
      }
      const target = anchors.get(node.source);
      if (target === undefined) unknown ??= node;
      else targets.set(node, target);
    },
  });
  if (unknown !== undefined) return faulty(unknown.range?.[0] ?? 0, `unknown anchor "${unknown.source}"`);
  return { tree: { document, root, targets } };
}

function isNothing(root: ParsedNode): boolean {
  return isScalar(root) && root.type === 'PLAIN' && root.source === '' && root.tag === undefined && !root.anchor;
}

/**
 * Splits a text of JSON objects without separators. jq prints such a text, and kubectl accepts it.
 *
 * @returns the pieces, whose concatenation is the text; undefined unless the text is two or more JSON objects
 */
function splitJsonStream(text: string): string[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const starts = objectStarts(text);
  if (starts.length < 2) return undefined;
  const pieces = starts.map((start, index) => text.slice(index === 0 ? 0 : start, starts[index + 1]));
  return pieces.every((piece) => jsonOf(piece) !== undefined) ? pieces : undefined;
}

/** Returns the start of each top-level object. */
function objectStarts(text: string): number[] {
  const starts: number[] = [];
  let depth = 0;
  let inString = false;
  // Match single characters instead of whole strings. A pattern for whole strings fails on a string of 1 MB or without
  // an end.
  for (const { 0: token, index } of text.matchAll(/\\.|["{}]/gs)) {
    if (token === '"') inString = !inString;
    if (inString) continue;
    if (token === '{' && depth++ === 0) starts.push(index);
    if (token === '}') depth--;
  }
  return starts;
}
