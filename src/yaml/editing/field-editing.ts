import { equalJson } from '../../base/json/json-value.ts';
import { withEdits, type FieldEdit } from '../../base/json/field-path.ts';
import { yamlStreamParts, type StreamPart } from '../reading/trees.ts';
import { EditRefused, changeEdits } from './change-edits.ts';
import { layoutOf } from './layout.ts';
import { reprinted } from './reprinting.ts';
import { applyEdits, lineEnding, orderedEdits, type TextEdit } from './text-edits.ts';

/** Text edits of one document, or the reason why there are none. The replacements are in order and do not overlap. */
export type FieldEditPlan =
  | { readonly kind: 'planned'; readonly replacements: readonly TextEdit[] }
  | { readonly kind: 'refused'; readonly reason: string };

const NO_WAY = 'no way was found to write into the document without changing something else';

/**
 * Turns edits of fields into edits of a YAML or JSON text that keep every other byte: comments, quotes, order, layout
 * and line ends. An edit that would change another place too (inside an anchor, an alias or a merge key) is refused.
 */
export class YamlFieldEditor {
  readonly #text: string;
  readonly #parts: readonly StreamPart[];
  readonly #isOneChunk: boolean;

  constructor(text: string) {
    this.#text = text;
    const parts = [...yamlStreamParts(text, { keepSourceTokens: true })];
    this.#parts = parts.filter(isDocument);
    this.#isOneChunk = parts.length === 1;
  }

  /**
   * Returns the edits of the text for one document. Offsets refer to the whole text. The edited document is read again:
   * the plan is refused unless the result has exactly the expected values.
   *
   * @param document the document, as YamlDocument.index in the same text
   * @param edits as for withEdits
   */
  verifiedPlan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const part = this.#parts[document];
    if (part === undefined) return refused(`there is no document ${document + 1}`);
    const { chunk, tree, value, faults } = part;
    if (tree === undefined || value === undefined) return refused(faults.at(-1)?.message ?? '');
    const { start, text } = chunk;
    const expected = expectedAfter(part, edits);
    const layout = layoutOf(text, tree.root, lineEnding(this.#text));
    try {
      const changes = orderedEdits(changeEdits({ text, tree, layout }, value, expected.value)).filter(
        (edit) => edit.end > edit.start || edit.text !== '',
      );
      if (changes.some(({ end }, index) => end > (changes[index + 1]?.start ?? Infinity)))
        return refused('two edits overlap in the text');
      if (!readsAs(applyEdits(text, changes), [expected])) return refused(NO_WAY);
      const replacements = changes.map((edit) => ({ ...edit, start: start + edit.start, end: start + edit.end }));
      return { kind: 'planned', replacements };
    } catch (error) {
      if (error instanceof EditRefused) return refused(error.message);
      throw error;
    }
  }

  /**
   * Returns the plan that prints the whole document again, without aliases, and edits it then. It keeps the comments
   * that the library keeps. The result is verified, too.
   */
  reprintedPlan(document: number, edits: readonly FieldEdit[]): FieldEditPlan {
    const part = this.#parts[document];
    if (part?.tree === undefined) return this.verifiedPlan(document, edits);
    const { start, text } = part.chunk;
    const editor = new YamlFieldEditor(reprinted(text, part.tree, lineEnding(this.#text)));
    const plan = editor.verifiedPlan(0, edits);
    if (plan.kind === 'refused') return plan;
    const after = editor.apply([plan]);
    if (!readsAs(after, [expectedAfter(part, edits)])) return refused(NO_WAY);
    return { kind: 'planned', replacements: [{ start, end: start + text.length, text: after, depth: 0 }] };
  }

  /** Returns the text with the edits of these plans. The plans must be for different documents. */
  apply(plans: readonly FieldEditPlan[]): string {
    return applyEdits(
      this.#text,
      plans.flatMap((plan) => (plan.kind === 'planned' ? plan.replacements : [])),
    );
  }

  /** True when a text, made by verified plans, has the documents of this text, with the edits in these documents. */
  isEdited(text: string, edits: ReadonlyMap<number, readonly FieldEdit[]>): boolean {
    // The plan of the only document was verified by reading this text.
    if (this.#isOneChunk) return true;
    return readsAs(
      text,
      this.#parts.map((part, index) => expectedAfter(part, edits.get(index) ?? [])),
    );
  }
}

function refused(reason: string): FieldEditPlan {
  return { kind: 'refused', reason };
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

/** What is read of a document: its value, or why it has none. */
type Reading = Pick<StreamPart, 'value' | 'faults'>;

function isDocument({ tree, faults }: StreamPart): boolean {
  return tree !== undefined || faults.length > 0;
}

/** Values are copied through JSON, so that a caller's `undefined` or shared object cannot reach the text. */
function expectedAfter({ value, faults }: Reading, edits: readonly FieldEdit[]): Reading {
  if (value === undefined) return { value, faults };
  const copies = edits.map((edit) => ({ ...edit, value: JSON.parse(JSON.stringify(edit.value ?? null)) as unknown }));
  return { value: withEdits(value, copies), faults };
}

/** True when a text has exactly these documents. */
function readsAs(text: string, expected: readonly Reading[]): boolean {
  const found = [...yamlStreamParts(text)].filter(isDocument);
  return found.length === expected.length && found.every((part, index) => agrees(part, expected[index]));
}

/** The only faults of a readable document are duplicate keys, and edits may remove some. */
function agrees(found: Reading, expected: Reading | undefined): boolean {
  if (expected === undefined || !equalJson(found.value, expected.value)) return false;
  if (found.value === undefined) return equalJson(found.faults, expected.faults);
  return found.faults.length <= expected.faults.length;
}
