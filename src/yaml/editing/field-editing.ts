import { withEdits } from '../../base/json/field-edit.ts';
import type { FieldEdit } from '../../base/json/field-edit.ts';
import { readYamlStream } from '../reading/trees.ts';
import type { StreamPart } from '../reading/trees.ts';
import type { YamlNode } from '../reading/values.ts';
import { EditRefused, changeEdits } from './change-edits.ts';
import type { EditedDocument } from './change-edits.ts';
import { read, readsAs } from './document-values.ts';
import type { Reading } from './document-values.ts';
import { changeOf } from './field-changes.ts';
import { layoutOf } from './layout.ts';
import { applyEdits, lineEnding, orderedEdits } from './text-edits.ts';
import type { TextEdit } from './text-edits.ts';

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
  readonly #parts: ReadonlyMap<number, EditablePart>;

  constructor(text: string) {
    this.#text = text;
    const parts = new Map<number, EditablePart>();
    for (const part of readYamlStream(text, { keepSourceTokens: true }))
      if (part.index !== undefined) parts.set(part.index, new EditablePart(part, lineEnding(text)));
    this.#parts = parts;
  }

  /**
   * Returns the edits of the text for one document. Offsets refer to the whole text.
   *
   * @param document the document, as YamlDocument.index in the same text
   * @param edits as for withEdits
   */
  plan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const part = this.#parts.get(document);
    if (part === undefined) return { kind: 'refused', reason: `there is no document ${document + 1}` };
    const planned = part.plan(edits);
    if ('refused' in planned) return { kind: 'refused', reason: planned.refused };
    const replacements = planned.edits.map(({ start, end, text }) => ({
      start: part.start + start,
      end: part.start + end,
      text,
    }));
    return { kind: 'planned', replacements };
  }

  /**
   * Does the same as plan, applies the edits to the document, and reads the result again. The plan is refused unless
   * the result has exactly the expected values. Reading again takes as long as reading the document.
   */
  verifiedPlan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const plan = this.plan(document, edits);
    if (plan.kind === 'refused' || this.#parts.get(document)?.isVerified(edits) === true) return plan;
    return { kind: 'refused', reason: 'no way was found to write into the document without changing something else' };
  }

  /** Returns the text with the edits of these plans. The plans must be for different documents. */
  apply(plans: readonly FieldEditPlan[]): string {
    const all = plans.flatMap((plan) => (plan.kind === 'planned' ? plan.replacements : []));
    return applyEdits(
      this.#text,
      all.map((edit) => ({ ...edit, depth: 0 })),
    );
  }
}

/** One document of a text. */
class EditablePart {
  /** The offset of the document in the whole text. */
  readonly start: number;
  readonly #text: string;
  readonly #reading: Reading;
  readonly #document: EditedDocument | undefined;

  constructor({ chunk, content }: StreamPart, eol: string) {
    this.start = chunk.start;
    this.#text = chunk.text;
    this.#reading = read(content);
    if (content.kind !== 'tree') return;
    const { tree } = content;
    const layout = layoutOf(chunk.text, tree.root, eol);
    this.#document = { text: chunk.text, tree, layout, shared: new Set<YamlNode>(tree.targets.values()) };
  }

  plan(edits: readonly FieldEdit[]): { readonly edits: readonly TextEdit[] } | { readonly refused: string } {
    if ('fault' in this.#reading || this.#document === undefined)
      return { refused: 'fault' in this.#reading ? this.#reading.fault : 'it is empty' };
    try {
      const change = changeOf(this.#reading.value, edits.map(asJson));
      const planned = change === undefined ? [] : orderedEdits(changeEdits(this.#document, change)).filter(isEffective);
      return planned.some(overlapsNext) ? { refused: 'two edits overlap in the text' } : { edits: planned };
    } catch (error) {
      if (error instanceof EditRefused) return { refused: error.message };
      throw error;
    }
  }

  isVerified(edits: readonly FieldEdit[]): boolean {
    const planned = this.plan(edits);
    if ('refused' in planned || 'fault' in this.#reading) return false;
    const expected = { ...this.#reading, value: withEdits(this.#reading.value, edits.map(asJson)) };
    return readsAs(applyEdits(this.#text, planned.edits), [expected]);
  }
}

/** Copies a value through JSON, so that a caller's `undefined` or shared object cannot reach the text. */
function asJson({ path, value }: FieldEdit): FieldEdit {
  return { path, value: JSON.parse(JSON.stringify(value ?? null)) as unknown };
}

function isEffective({ start, end, text }: TextEdit): boolean {
  return end > start || text !== '';
}

function overlapsNext({ end }: TextEdit, index: number, edits: readonly TextEdit[]): boolean {
  return end > (edits[index + 1]?.start ?? Infinity);
}
