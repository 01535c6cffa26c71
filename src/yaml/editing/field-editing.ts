import { equalJson } from '../../base/json/json-value.ts';
import { withEdits, type FieldEdit } from '../../base/json/field-path.ts';
import { yamlStreamParts, type ChunkContent, type StreamPart } from '../reading/trees.ts';
import { treeValue, type YamlNode } from '../reading/values.ts';
import { EditRefused, changeEdits } from './change-edits.ts';
import { layoutOf } from './layout.ts';
import { reprinted } from './reprinting.ts';
import { applyEdits, lineEnding, orderedEdits, type TextEdit } from './text-edits.ts';

/** A range of a text and the text that replaces the range. A range without characters is an insertion. */
export type TextReplacement = Pick<TextEdit, 'start' | 'end' | 'text'>;

/** Text edits of one document, or the reason why there are none. The replacements are in order and do not overlap. */
export type FieldEditPlan =
  | { readonly kind: 'planned'; readonly replacements: readonly TextReplacement[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Turns edits of fields into edits of a YAML or JSON text that keep every other byte: comments, quotes, order, layout
 * and line ends. An edit that would change another place too (inside an anchor, an alias or a merge key) is refused.
 */
export class YamlFieldEditor {
  readonly #text: string;
  readonly #parts: readonly StreamPart[];
  /** True when the text is one chunk, so that a document of it is the whole text. */
  readonly #isOneChunk: boolean;

  constructor(text: string) {
    this.#text = text;
    const parts = [...yamlStreamParts(text, { keepSourceTokens: true })];
    this.#parts = parts.filter(({ index }) => index !== undefined);
    this.#isOneChunk = parts.length === 1;
  }

  /**
   * Returns the edits of the text for one document. Offsets refer to the whole text.
   *
   * @param document the document, as YamlDocument.index in the same text
   * @param edits as for withEdits
   */
  plan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    return this.#planned(document, edits).plan;
  }

  /**
   * Does the same as plan, applies the edits to the document, and reads the result again. The plan is refused unless
   * the result has exactly the expected values. Reading again takes as long as reading the document.
   */
  verifiedPlan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const { plan, part, expected } = this.#planned(document, edits);
    if (plan.kind === 'refused' || part === undefined) return plan;
    const { start, text } = part.chunk;
    const own = plan.replacements.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    return readsAs(replaced(text, own), [expected]) ? plan : refused(NO_WAY);
  }

  /**
   * Returns the plan that prints the whole document again, without aliases, and edits it then. It keeps the comments
   * that the library keeps. The result is verified, too.
   */
  reprintedPlan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const part = this.#parts[document];
    if (part?.content.kind !== 'tree') return this.plan(document, edits);
    const { start, text } = part.chunk;
    const editor = new YamlFieldEditor(reprinted(text, part.content.tree, lineEnding(this.#text)));
    const plan = editor.verifiedPlan(0, edits);
    if (plan.kind === 'refused') return plan;
    const after = editor.apply([plan]);
    if (!readsAs(after, [expectedAfter(valuesOf(part.content), edits)])) return refused(NO_WAY);
    return { kind: 'planned', replacements: [{ start, end: start + text.length, text: after }] };
  }

  /** Returns the text with the edits of these plans. The plans must be for different documents. */
  apply(plans: readonly FieldEditPlan[]): string {
    return replaced(
      this.#text,
      plans.flatMap((plan) => (plan.kind === 'planned' ? plan.replacements : [])),
    );
  }

  /** True when a text, made by verified plans, has the documents of this text, with the edits in these documents. */
  isEdited(text: string, edits: ReadonlyMap<number, readonly FieldEdit[]>): boolean {
    if (this.#isOneChunk) return true;
    return readsAs(
      text,
      this.#parts.map(({ content }, index) => expectedAfter(valuesOf(content), edits.get(index) ?? [])),
    );
  }

  #planned(document: number, edits: readonly FieldEdit[]): Planned {
    const part = this.#parts[document];
    if (part === undefined) return { plan: refused(`there is no document ${document + 1}`), part, expected: EMPTY };
    const { chunk, content } = part;
    const before = valuesOf(content);
    const expected = expectedAfter(before, edits);
    if (content.kind !== 'tree' || 'fault' in before || 'fault' in expected)
      return { plan: refused('fault' in before ? before.fault : EMPTY.fault), part, expected };
    const { tree } = content;
    const layout = layoutOf(chunk.text, tree.root, lineEnding(this.#text));
    const shared = new Set<YamlNode>(tree.targets.values());
    try {
      const changes = changeEdits({ text: chunk.text, tree, layout, shared }, before.value, expected.value);
      const planned = orderedEdits(changes).filter(({ start, end, text }) => end > start || text !== '');
      if (planned.some(({ end }, index) => end > (planned[index + 1]?.start ?? Infinity)))
        return { plan: refused('two edits overlap in the text'), part, expected };
      const replacements = planned.map(({ start, end, text }) => ({
        start: chunk.start + start,
        end: chunk.start + end,
        text,
      }));
      return { plan: { kind: 'planned', replacements }, part, expected };
    } catch (error) {
      if (error instanceof EditRefused) return { plan: refused(error.message), part, expected };
      throw error;
    }
  }
}

const NO_WAY = 'no way was found to write into the document without changing something else';

interface Planned {
  readonly plan: FieldEditPlan;
  readonly part: StreamPart | undefined;
  readonly expected: DocumentValues;
}

function refused(reason: string): FieldEditPlan {
  return { kind: 'refused', reason };
}

function replaced(text: string, edits: readonly TextReplacement[]): string {
  return applyEdits(
    text,
    edits.map((edit) => ({ ...edit, depth: 0 })),
  );
}

/** An edit of a field of one document, as YamlDocument.index in the text. */
export interface DocumentEdit extends FieldEdit {
  readonly document: number;
}

export interface EditedText {
  readonly text: string;
  /**
   * Documents that could not be edited in place, in ascending order. Such documents were printed again without aliases.
   */
  readonly reprinted: readonly number[];
}

/**
 * Makes edits in the documents of a text, and keeps all other bytes. A document is printed again where an edit would
 * change other places too. The result is read again: it has the old values with the edits, and nothing else.
 *
 * @throws Error naming the document (counted from 1) when the document cannot be read or edited
 */
export function withFieldEdits(text: string, edits: readonly DocumentEdit[]): EditedText {
  if (edits.length === 0) return { text, reprinted: [] };
  const editor = new YamlFieldEditor(text);
  const wanted = Map.groupBy(edits, ({ document }) => document);
  const again: number[] = [];
  const plans = [...wanted].map(([document, own]) => {
    const inPlace = editor.verifiedPlan(document, own);
    if (inPlace.kind === 'planned') return inPlace;
    const plan = editor.reprintedPlan(document, own);
    if (plan.kind === 'refused') throw new Error(`document ${document + 1}: ${plan.reason}`);
    again.push(document);
    return plan;
  });
  const result = editor.apply(plans);
  // Each document was verified alone only.
  if (!editor.isEdited(result, wanted)) throw new Error(NO_WAY);
  return { text: result, reprinted: again.toSorted((a, b) => a - b) };
}

/** The values of a document, or the reason why the document cannot be read. */
type DocumentValues = { readonly value: unknown; readonly duplicateKeys: number } | { readonly fault: string };

const EMPTY = { fault: 'it is empty' };

/** Returns a new copy of the values at each call. */
function valuesOf(content: ChunkContent): DocumentValues {
  if (content.kind === 'empty') return EMPTY;
  if (content.kind === 'faulty') return { fault: content.fault.message };
  let duplicateKeys = 0;
  const reading = treeValue(content.tree, () => (duplicateKeys += 1));
  return 'fault' in reading ? { fault: reading.fault.message } : { value: reading.value, duplicateKeys };
}

/** Values are copied through JSON, so that a caller's `undefined` or shared object cannot reach the text. */
function expectedAfter(before: DocumentValues, edits: readonly FieldEdit[]): DocumentValues {
  if ('fault' in before) return before;
  const copies = edits.map(({ path, value }) => ({
    path,
    value: JSON.parse(JSON.stringify(value ?? null)) as unknown,
  }));
  return { ...before, value: withEdits(before.value, copies) };
}

/** True when a text has exactly these documents. */
function readsAs(text: string, expected: readonly DocumentValues[]): boolean {
  const found = [...yamlStreamParts(text)].filter(({ index }) => index !== undefined);
  return found.length === expected.length && found.every(({ content }, at) => agrees(valuesOf(content), expected[at]));
}

function agrees(found: DocumentValues, expected: DocumentValues | undefined): boolean {
  if (expected === undefined) return false;
  if ('fault' in found || 'fault' in expected) return equalJson(found, expected);
  return found.duplicateKeys <= expected.duplicateKeys && equalJson(found.value, expected.value);
}
