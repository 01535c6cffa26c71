import { withEdits, type FieldEdit } from '../../../src/base/json/field-path.ts';
import { changeEdits } from '../../../src/yaml/editing/change-edits.ts';
import { layoutOf, type Layout } from '../../../src/yaml/editing/layout.ts';
import { applyEdits, lineEnding } from '../../../src/yaml/editing/text-edits.ts';
import { yamlStreamParts } from '../../../src/yaml/reading/trees.ts';
import type { YamlTree } from '../../../src/yaml/reading/values.ts';

/** The only document of a text, as edits need it. */
export function readDocument(text: string): { text: string; tree: YamlTree; layout: Layout; value: unknown } {
  const [part] = yamlStreamParts(text, { keepSourceTokens: true });
  if (part?.tree === undefined) throw new Error(`no document: ${JSON.stringify(part?.faults)}`);
  return { text, tree: part.tree, layout: layoutOf(text, part.tree.root, lineEnding(text)), value: part.value };
}

/** The text with edits of fields. The result is not read again, unlike in `YamlFieldEditor`. */
export function changedText(text: string, ...edits: readonly FieldEdit[]): string {
  const { value, ...document } = readDocument(text);
  return applyEdits(text, changeEdits(document, value, withEdits(value, edits)));
}

/** Sets or removes the field at a path such as `a.b` or `list.0`. */
export function edit(path: string, value: unknown = null): FieldEdit {
  return { path: path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)), value };
}
