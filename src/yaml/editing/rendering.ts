import { jsonText, visible, visibleJson } from '../../base/text/visible.ts';
import { resolvePlainScalar } from '../reading/scalars.ts';
import { Document, Pair, Scalar, YAMLMap, YAMLSeq, type Tags } from 'yaml';
import type { Layout } from './layout.ts';

/** The style of flow mappings. */
export interface FlowStyle {
  readonly quoted: boolean;
  /** True for no spaces after colons and commas. This style requires quotes, because `a:1` is one word in YAML. */
  readonly compact: boolean;
}

/** The part of the layout that block style uses. */
export type BlockLayout = Pick<Layout, 'step' | 'indentSequences' | 'flowPadding'>;

/** Converts a JSON value to nodes of a failsafe document. Strings that YAML 1.1 would misread are quoted. */
function toNode(value: unknown): Scalar | YAMLMap | YAMLSeq {
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

/** Converts a key to a node of a failsafe document. */
function toKey(key: string): Scalar<string> {
  const scalar = toScalar(key);
  if (key.includes('\n')) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

function toScalar(value: unknown): Scalar<string> {
  const scalar = new Scalar(typeof value === 'string' ? value : JSON.stringify(value));
  if (typeof value !== 'string' || isPlainString(value)) scalar.type = Scalar.PLAIN;
  else scalar.type = isLiteralText(value) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
  return scalar;
}

/** True when the block style of a value ends with a block scalar. */
export function endsInBlockScalar(value: unknown): boolean {
  if (typeof value === 'string') return isLiteralText(value);
  return typeof value === 'object' && value !== null && endsInBlockScalar(Object.values(value).at(-1));
}

/** True for printable lines that are safe in a block scalar, also if an editor changes white space. */
function isLiteralText(text: string): boolean {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    text.includes('\n') &&
    /^\S/.test(text) &&
    lines.at(-1) !== '' &&
    lines.every((line) => printableLine.test(line) && visible(line) === line)
  );
}

/** Matches a line without tabs, without Unicode line breaks and without a space at the end. */
const printableLine = /^(?:[\x20-\x7e\u00a0-\u2027\u202a-\ud7ff]*[\x21-\x7e])?$/;

/** True for a string that stays a string without quotes. The printer decides whether punctuation needs quotes. */
function isPlainString(text: string): boolean {
  if (resolvePlainScalar(text) !== text || text === '<<' || text === '=') return false;
  return plainText.test(text) && visible(text) === text && !specialInFlow.test(text) && !sexagesimalOrDate.test(text);
}

/** Matches one line without tabs and invisible characters. */
const plainText = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

/**
 * Plain scalars in flow context that libyaml, kubectl's parser, misreads although the YAML specification allows them.
 */
export const specialInFlow = /^:|\?/;

/** Texts that kubectl reads as strings, but other YAML 1.1 readers read as numbers or dates. */
const sexagesimalOrDate = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$|^[0-9]{4}-[0-9]/;

/**
 * Formats `key: value`, or `- value` without a key, in block style as lines without line breaks, starting at the left
 * margin. Mappings and sequences start on the line below the key. Other values start on the key's line.
 */
export function renderBlock(key: string | undefined, value: unknown, layout: BlockLayout): readonly string[] {
  const collection = key === undefined ? new YAMLSeq() : new YAMLMap();
  collection.items = [key === undefined ? toNode(value) : new Pair(toKey(key), toNode(value))];
  return printDocument(emptyDocument(), collection, layout).slice(0, -1).split('\n');
}

/** Returns a document in which every scalar is text. Hidden characters in quotes are escaped when it is printed. */
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

/** Prints a document with the given contents. Long lines are not folded. */
export function printDocument(document: Document, contents: unknown, layout: BlockLayout): string {
  document.contents = contents as never;
  const { step: indent, indentSequences: indentSeq, flowPadding: flowCollectionPadding } = layout;
  return document.toString({ indent, indentSeq, flowCollectionPadding, lineWidth: 0, doubleQuotedAsJSON: true });
}

/** Formats a value on one line. */
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

/** Formats a key with its colon and the following space. */
export function renderFlowKey(key: string, style: FlowStyle): string {
  return `${renderFlowString(key, style)}:${style.compact ? '' : ' '}`;
}

/** Many characters are special in flow context, so only the simplest words stay unquoted. */
function renderFlowString(text: string, { quoted }: FlowStyle): string {
  const simple = !quoted && /^[A-Za-z/][A-Za-z0-9_./-]*$/.test(text) && isPlainString(text);
  return simple ? text : yamlQuoted(text);
}

/**
 * Quotes a text so that JSON and YAML read the same value. Control characters are escaped because kubectl rejects them.
 * Hidden characters are escaped so that reviewers see them. Characters above U+FFFF stay unescaped, because JSON and
 * YAML have no common escape for them.
 */
export function yamlQuoted(text: string): string {
  return withoutPairs(jsonText(text));
}

/** Does the same as yamlQuoted for a JSON text. */
export function yamlFromJson(json: string): string {
  return withoutPairs(visibleJson(json));
}

function withoutPairs(json: string): string {
  return json.replace(
    /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)/gs,
    (escape, high: string | undefined, low: string) =>
      high === undefined ? escape : String.fromCharCode(parseInt(high, 16), parseInt(low, 16)),
  );
}
