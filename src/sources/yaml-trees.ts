import { isAlias, isScalar, visit } from 'yaml';
import type { Alias, CST, Document, ParsedNode } from 'yaml';
import { splitJsonStream } from './json-stream.ts';
import { OverBudget } from './reading-budget.ts';
import { composeDocuments } from './yaml-composer.ts';
import { TooDeep, yamlTokens } from './yaml-tokens.ts';
import type { ReadingBudget } from './reading-budget.ts';

/** A piece of a text that holds at most one YAML document, with the marker lines and comments around it. */
export interface YamlChunk {
  /** Where the piece starts in the whole text. The pieces of a text, joined, are the text. */
  readonly start: number;
  readonly text: string;
}

/** The nodes of one document. Every scalar's value is its text; offsets are into the chunk's text. */
export interface YamlTree {
  readonly document: Document.Parsed;
  readonly root: ParsedNode;
  /** The anchored node that an alias stands for. An alias inside its own anchor makes a cycle here. */
  readonly targets: ReadonlyMap<Alias, ParsedNode>;
}

/** What is wrong with a document. The offset is into the chunk's text. */
export interface YamlFault {
  readonly offset: number;
  readonly message: string;
  /** The fault is a key that is written twice, and which. */
  readonly duplicateKey?: string;
}

export type ChunkContent =
  | { readonly kind: 'empty' }
  /** Beyond limits: there is too much of it, however it is read. */
  | { readonly kind: 'faulty'; readonly fault: YamlFault; readonly isBeyondLimits?: boolean }
  | { readonly kind: 'tree'; readonly tree: YamlTree };

/** One chunk of a stream. Documents count from 0, faulty ones included; a chunk without content has no number. */
export interface StreamPart {
  readonly chunk: YamlChunk;
  readonly index: number | undefined;
  readonly content: ChunkContent;
}

/**
 * Deepest nesting that is read. CRDs, the deepest manifests there are, stay under 100; the composer and every recursion over
 * the values run out of stack somewhere past 1,500.
 */
export const maxDepth = 500;

export interface ReadingOptions {
  readonly keepSourceTokens?: boolean;
  /** How much may be read; without one, everything is. */
  readonly budget?: ReadingBudget | undefined;
}

/** All the documents of a text. Never throws: what cannot be read is a fault of its own chunk only. */
export function readYamlStream(text: string, options: ReadingOptions = {}): StreamPart[] {
  return [...yamlStreamParts(text, options)];
}

/** The same, each when it is asked for: a reader of many can let others have their turn in between, or stop. */
export function* yamlStreamParts(text: string, options: ReadingOptions = {}): Generator<StreamPart> {
  let count = 0;
  for (const chunk of splitYaml(text))
    for (const part of readChunk(chunk, options))
      yield { ...part, index: part.content.kind === 'empty' ? undefined : count++ };
}

/**
 * Cuts a text before its `---` and after its `...` lines. Those mark documents wherever they stand at the start of a line, even
 * inside a quoted scalar, so that a fault in one document cannot reach the next. This is how kubectl cuts files, too.
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
      // Comments and directives before the first marker belong to the document that it starts.
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

/** Lines end at LF only, so not /^/m, which stops at U+2028 as well. */
const marker = /(?<![^\n])\uFEFF?(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;

/** True when there are only blank lines, comments and directives between two line starts. */
function isPrologue(text: string, start: number, end: number): boolean {
  for (let line = start; line < end; line = text.indexOf('\n', line) + 1) {
    const rest = text.slice(line, text.indexOf('\n', line)).replace(/^\uFEFF/, '');
    if (!rest.startsWith('%') && !/^[ \t\r]*(?:#|$)/.test(rest)) return false;
  }
  return true;
}

/**
 * What is wrong to YAML but not to kubectl is tried second, as the strict reading has the better positions for mistakes. Both take from one
 * document's budget: a fault does not double the time.
 */
function* readChunk(chunk: YamlChunk, options: ReadingOptions): Generator<Omit<StreamPart, 'index'>> {
  options.budget?.startDocument();
  const content = composeChunk(chunk.text, options);
  if (content.kind !== 'faulty' || content.isBeyondLimits === true) {
    yield { chunk, content };
    return;
  }
  const objects = splitJsonStream(chunk.text);
  if (objects !== undefined) {
    for (const object of chunksOf(objects, chunk.start)) yield* readChunk(object, options);
    return;
  }
  const lenient = composeChunk(chunk.text, { ...options, anyIndent: true });
  yield { chunk, content: lenient.kind === 'tree' ? lenient : hinted(content.fault, chunk.text) };
}

function chunksOf(texts: readonly string[], start: number): YamlChunk[] {
  let end = start;
  return texts.map((text) => ({ text, start: (end += text.length) - text.length }));
}

function composeChunk(text: string, options: ReadingOptions & { anyIndent?: boolean }): ChunkContent {
  try {
    const tokens = yamlTokens(text, { ...options, maxDepth });
    const deep = tooDeep(tokens);
    if (deep !== undefined) return beyondLimits(deep, nestingMessage);
    return contentOf(composeDocuments(tokens, options.keepSourceTokens ?? false));
  } catch (error) {
    if (error instanceof OverBudget) return beyondLimits(error.offset, error.message);
    if (error instanceof TooDeep) return beyondLimits(error.offset, nestingMessage);
    if (error instanceof RangeError) return beyondLimits(0, nestingMessage);
    return faulty(0, error instanceof Error ? error.message : String(error));
  }
}

const nestingMessage = `nested more than ${maxDepth} levels deep`;

/** Charts are the YAML files that people most often have by the dozen and that are no YAML yet. */
function hinted({ offset, message }: YamlFault, text: string): ChunkContent {
  return faulty(offset, text.includes('{{') ? `${message} (is this a template that was not rendered?)` : message);
}

function faulty(offset: number, message: string): ChunkContent {
  return { kind: 'faulty', fault: { offset, message } };
}

function beyondLimits(offset: number, message: string): ChunkContent {
  return { kind: 'faulty', fault: { offset, message }, isBeyondLimits: true };
}

function contentOf([document, second]: Document.Parsed[]): ChunkContent {
  if (document === undefined) return { kind: 'empty' };
  // Only the first: what follows one mistake is mostly its echo.
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (first !== undefined) return faulty(first.pos[0], first.message);
  if (second !== undefined) return faulty(second.range[0], 'a second document without a "---" line before it');
  const root = document.contents;
  if (root === null || isNothing(root)) return { kind: 'empty' };
  const { targets, fault } = resolveAliases(root);
  return fault === undefined ? { kind: 'tree', tree: { document, root, targets } } : { kind: 'faulty', fault };
}

function isNothing(root: ParsedNode): boolean {
  return isScalar(root) && root.type === 'PLAIN' && root.source === '' && root.tag === undefined && !root.anchor;
}

/** An alias means the last node before it that has the anchor; the same name may be given again further down. */
function resolveAliases(root: ParsedNode): { targets: Map<Alias, ParsedNode>; fault?: YamlFault } {
  const anchors = new Map<string, ParsedNode>();
  const targets = new Map<Alias, ParsedNode>();
  let fault: YamlFault | undefined;
  visit(root, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target !== undefined) targets.set(node, target);
        else fault ??= { offset: node.range?.[0] ?? 0, message: `unknown anchor "${node.source}"` };
      } else if (node.anchor) {
        anchors.set(node.anchor, node as ParsedNode);
      }
    },
  });
  return fault === undefined ? { targets } : { targets, fault };
}

/** The offset of the first token that is nested too deeply, found without recursion. */
function tooDeep(tokens: readonly CST.Token[]): number | undefined {
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) return token.offset;
    for (const child of childTokens(token)) open.push({ token: child, depth: depth + 1 });
  }
  return undefined;
}

function childTokens(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child !== undefined && child !== null));
}
