import type { FieldPath } from '../../base/json/field-path.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { parsedTexts, type ParsedText } from '../input/manifests.ts';
import { faultsOutsideTemplates, mayHoldObject } from '../input/passed-over.ts';
import { judgeText } from '../check/judge-text.ts';
import { outlineOf } from '../../yaml/reading/outline.ts';
import type { Position } from '../../yaml/reading/documents.ts';
import { splitYaml } from '../../yaml/reading/trees.ts';
import { isForPolicies, type World } from '../input/world.ts';
import { FACT_KINDS } from '../../cluster/sources/fact-kinds.ts';
import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { ManifestText } from '../input/manifest.ts';
import type { PlacedViolation } from '../check/report.ts';

/** A longer text is not judged: a person waits for each key. */
const LONGEST_TEXT = 4_000_000;

/** A piece of a text with one document. What is known of it lasts as long as its text is the same. */
export interface Piece {
  readonly text: string;
  /** Lines of the file before the piece. */
  readonly line: number;
  /** UTF-16 units of the file before the piece. */
  readonly start: number;
  readonly known: KnownText;
}

/**
 * The pieces of a text: a key in one of 143 documents makes one new piece.
 *
 * @param before the pieces of the text before; what is known of equal ones stays
 */
export function piecesOf(
  file: string,
  text: string,
  kinds: readonly WorkloadKind[],
  before: readonly Piece[] = [],
): readonly Piece[] {
  if (text.length > LONGEST_TEXT) return [];
  const known = new Map(before.map((piece) => [piece.text, piece.known]));
  let line = 0;
  return [...splitYaml(text)].map((chunk) => {
    const piece = { ...chunk, line, known: known.get(chunk.text) ?? new KnownText(file, chunk.text, kinds) };
    known.set(chunk.text, piece.known);
    for (let at = chunk.text.indexOf('\n'); at !== -1; at = chunk.text.indexOf('\n', at + 1)) line += 1;
    return piece;
  });
}

/** Braces in these fields are for others than Helm: vault, Argo, Go. */
const VERBATIM: ReadonlySet<string> = new Set([
  'metadata annotations',
  ...CONTAINER_LISTS.flatMap((list) => ['command', 'args', 'env'].map((field) => `${list} ${field}`)),
]);

/** An object with braces in other fields is a template, and says nothing until it is rendered. */
export function withoutTemplates(parsed: ParsedText): ParsedText {
  const { text, manifests, problems } = parsed;
  if (!text.includes('{{')) return parsed;
  // Aliases may make a small text large, so each value is looked at once.
  const seen = new Set<unknown>();
  const isTemplate = (value: unknown, name: string): boolean => {
    if (typeof value === 'string') return value.includes('{{');
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    if (Array.isArray(value)) return value.some((each) => isTemplate(each, name));
    return Object.entries(value).some(([key, each]) => !VERBATIM.has(`${name} ${key}`) && isTemplate(each, key));
  };
  return {
    ...parsed,
    manifests: manifests.filter(({ object }) => !isTemplate(object, '')),
    problems: faultsOutsideTemplates(text, problems),
  };
}

/** A document by its text: parsed once, and judged once in a world. */
export class KnownText {
  /** The document may be a policy or a fact: then other documents depend on it. */
  readonly isFact: boolean;
  readonly #source: ManifestText;
  readonly #kinds: readonly WorkloadKind[];
  #parsed: ParsedText | undefined;
  #judged: { readonly world: World; readonly violations: readonly PlacedViolation[] } | undefined;

  constructor(file: string, text: string, kinds: readonly WorkloadKind[]) {
    this.#source = { file, text };
    this.#kinds = kinds;
    const outline = outlineOf(text);
    const { apiVersion = '', kind = '' } = outline ?? {};
    // A document whose text leaves a doubt, such as JSON, is parsed. A broken policy is one that is missing.
    this.isFact =
      outline === undefined || kind.endsWith('List') || text.includes('{{')
        ? this.parsed.manifests.some(({ object }) => isForPolicies(object)) ||
          (this.parsed.problems.length > 0 && text.includes(`${POLICY_GROUP}/`))
        : apiVersion.startsWith(`${POLICY_GROUP}/`) ||
          kind === 'Namespace' ||
          FACT_KINDS.some((known) => known.kind === kind);
  }

  get parsed(): ParsedText {
    return (this.#parsed ??= this.#parse());
  }

  #parse(): ParsedText {
    const none = { ...this.#source, manifests: [], problems: [] };
    if (!mayHoldObject(this.#source.text)) return none;
    const [parsed = none] = parsedTexts([this.#source], { kinds: this.#kinds, skipsOtherKinds: true });
    return withoutTemplates(parsed);
  }

  /** The findings, with places in the piece. */
  violationsIn(world: World): readonly PlacedViolation[] {
    if (this.#judged?.world !== world) this.#judged = { world, violations: judgeText(this.parsed, world).violations };
    return this.#judged.violations;
  }

  /** Where the field of a finding begins and ends in the piece: a field of several lines ends with its first line. */
  rangeOf({ object, path, line, column }: PlacedViolation): readonly [Position, Position] {
    return this.#rangeFrom({ line, column }, [...(object?.path ?? []), ...path], object?.document ?? 0);
  }

  /** The lines of a part of a document, from 1. */
  linesOf(document: number, path: FieldPath): readonly [number, number] {
    const found = this.#documentOf(document);
    return found === undefined ? [0, 0] : [found.position(path, { key: true }).line, found.lastLine(path)];
  }

  /** True for a place in a part of a document, and beside the part where it is alone in its lines. */
  isIn(document: number, path: FieldPath, { line, column }: Position): boolean {
    const found = this.#documentOf(document);
    if (found === undefined) return false;
    const [start, end] = [found.position(path, { key: true }), found.end(path)];
    const text = lineOf(this.#source.text, line);
    if (line < start.line || line > found.lastLine(path)) return false;
    if (line === start.line && column < start.column && /[^-\s]/.test(text.slice(0, start.column - 1))) return false;
    return line !== end.line || column < end.column || endOfContent(text) < end.column;
  }

  #documentOf(index: number) {
    return this.parsed.manifests.find(({ document }) => document.index === index)?.document;
  }

  #rangeFrom(start: Position, path: FieldPath, document: number): readonly [Position, Position] {
    const end = this.#documentOf(document)?.end(path);
    if (end?.line === start.line) return [start, end];
    return [start, { line: start.line, column: endOfContent(lineOf(this.#source.text, start.line)) + 1 }];
  }
}

/** A line by its number from 1, without a byte order mark. */
export const lineOf = (text: string, line: number): string => text.split('\n')[line - 1]?.replace(/^\uFEFF/, '') ?? '';

/** Where a line ends without its comment. */
export function endOfContent(line: string): number {
  const comment = line.search(/(?:^|[ \t])#/);
  return (comment === -1 ? line : line.slice(0, comment)).trimEnd().length;
}

/** The edit that makes one text of another: what differs, in one piece. */
export function differenceOf(
  before: string,
  after: string,
): { readonly start: number; readonly end: number; readonly text: string } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < most - start && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { start, end: before.length - same, text: after.slice(start, after.length - same) };
}

/** Finds the path in a text such as `spec.template.spec.containers[0]`. */
export function pathOf(text: string): FieldPath {
  return (text.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
