import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { visible } from '../text/visible.ts';
import { yamlFromJson, yamlQuoted } from '../text/yaml-text.ts';
import { resolvePlainScalar } from '../sources/yaml-scalars.ts';
import type { Tags } from 'yaml';
import type { Layout } from './yaml-layout.ts';

/** How flow mappings are written. */
export interface FlowStyle {
  /** Every key and string in double quotes, as JSON has them. */
  readonly quoted: boolean;
  /** No spaces after colons and commas; only where things are quoted, as `a:1` is one word in YAML. */
  readonly compact: boolean;
}

/** What block style depends on. */
export type BlockLayout = Pick<Layout, 'step' | 'indentSequences' | 'flowPadding'>;

/** A JSON value as nodes of a failsafe document, whose scalars are all text. Strings that YAML 1.1 would misread are quoted. */
export function toNode(value: unknown): Scalar | YAMLMap | YAMLSeq {
  if (Array.isArray(value)) {
    const sequence = new YAMLSeq();
    sequence.items = value.map(toNode);
    return sequence;
  }
  if (typeof value !== 'object' || value === null) return toScalar(value);
  const map = new YAMLMap();
  map.items = Object.entries(value).map(([key, member]) => new Pair(toKey(key), toNode(member)));
  return map;
}

/** A key as a node of such a document. */
export function toKey(key: string): Scalar<string> {
  const scalar = toScalar(key);
  if (key.includes('\n')) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

function toScalar(value: unknown): Scalar<string> {
  const scalar = new Scalar(typeof value === 'string' ? value : JSON.stringify(value));
  scalar.type = typeof value === 'string' ? styleOfString(value) : Scalar.PLAIN;
  return scalar;
}

function styleOfString(text: string): Scalar.Type {
  if (isLiteralText(text)) return Scalar.BLOCK_LITERAL;
  return isPlainString(text) ? Scalar.PLAIN : Scalar.QUOTE_DOUBLE;
}

/** True for a value that block style ends with a block scalar. */
export function endsInBlockScalar(value: unknown): boolean {
  if (typeof value === 'string') return isLiteralText(value);
  return typeof value === 'object' && value !== null && endsInBlockScalar(Object.values(value).at(-1));
}

/** Several lines of printable text that keep their meaning in a block scalar whatever an editor does to white space. */
function isLiteralText(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    text.includes('\n') &&
    /^\S/.test(text) &&
    lines.at(-1) !== '' &&
    lines.every((line) => printableLine.test(line) && visible(line) === line)
  );
}

/** No tab and no line break of Unicode's; no space at the end. */
const printableLine = /^(?:[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff]*[\x21-\x7e])?$/;

/** True for a string that is one without quotes, too. Whether its punctuation needs them is left to the printer. */
function isPlainString(text: string): boolean {
  if (resolvePlainScalar(text) !== text || text === '<<' || text === '=') return false;
  return plainText.test(text) && visible(text) === text && !specialInFlow.test(text) && !sexagesimalOrDate.test(text);
}

/** One line without tabs and invisible characters. */
const plainText = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

/** What libyaml, kubectl's parser, trips over in a plain scalar in flow context, while the YAML specification allows it. */
export const specialInFlow = /^:|\?/;

/** Strings to kubectl, but numbers and dates to other readers of YAML 1.1. */
const sexagesimalOrDate = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$|^[0-9]{4}-[0-9]/;

/**
 * The lines of `key: value` in block style at the left margin, without line breaks. Mappings and sequences go on the lines below
 * the key; everything else starts on its line.
 */
export function renderBlock(key: string, value: unknown, layout: BlockLayout): readonly string[] {
  const known = blocks.get(layout) ?? new Map<string, readonly string[]>();
  blocks.set(layout, known);
  const name = JSON.stringify([key, value]);
  const lines = known.get(name) ?? printBlock(key, value, layout);
  known.set(name, lines);
  return lines;
}

/** What was printed before: thousands of containers get the same probe, and the library's printer takes its time. */
const blocks = new WeakMap<BlockLayout, Map<string, readonly string[]>>();

function printBlock(key: string, value: unknown, layout: BlockLayout): string[] {
  const document = emptyDocument();
  const map = new YAMLMap();
  map.items = [new Pair(toKey(key), toNode(value))];
  return printDocument(document, map, layout).slice(0, -1).split('\n');
}

/** A document whose scalars are all text, and which is printed without hidden characters in its double quotes. */
export function emptyDocument(): Document {
  return new Document(null, { schema: 'failsafe', customTags: (tags) => tags.map(withVisibleQuotes) });
}

function withVisibleQuotes(tag: Tags[number]): Tags[number] {
  if (typeof tag === 'string' || tag.collection !== undefined || tag.stringify === undefined) return tag;
  const { stringify } = tag;
  return {
    ...tag,
    stringify: (...args) => {
      const text = stringify(...args);
      return text.startsWith('"') ? yamlFromJson(text) : text;
    },
  };
}

/** A document with the given contents as text; no line is folded. */
export function printDocument(document: Document, contents: unknown, layout: BlockLayout): string {
  document.contents = contents as never;
  const { step: indent, indentSequences: indentSeq, flowPadding: flowCollectionPadding } = layout;
  return document.toString({ indent, indentSeq, flowCollectionPadding, lineWidth: 0, doubleQuotedAsJSON: true });
}

/** A value on one line. */
export function renderFlow(value: unknown, style: FlowStyle): string {
  const comma = style.compact ? ',' : ', ';
  if (Array.isArray(value)) return `[${value.map((item) => renderFlow(item, style)).join(comma)}]`;
  if (typeof value === 'string') return renderFlowString(value, style);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(
    ([key, member]) => `${renderFlowKey(key, style)}${renderFlow(member, style)}`,
  );
  return `{${pairs.join(comma)}}`;
}

/** A key with its colon and the space behind that. */
export function renderFlowKey(key: string, style: FlowStyle): string {
  return `${renderFlowString(key, style)}:${style.compact ? '' : ' '}`;
}

/** Flow context makes many characters special, so only the simplest words go without quotes. */
function renderFlowString(text: string, { quoted }: FlowStyle): string {
  const simple = !quoted && /^[A-Za-z/][A-Za-z0-9_./-]*$/.test(text) && isPlainString(text);
  return simple ? text : yamlQuoted(text);
}
