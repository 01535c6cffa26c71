import { messageOf } from '../base/text/error-message.ts';
import { withFieldEdits } from '../yaml/editing/field-editing.ts';
import { manifestsOf } from './input/manifest.ts';
import { withAdvice } from './fix-advice.ts';
import { fixText } from './fix-text.ts';
import type { Inputs, ParsedText } from './input/inputs.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';
import type { AdviceSelection } from './fix-advice.ts';
import type { FixedText } from './fix-text.ts';

/** A file before and after `fix`. */
export interface FixedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The objects of the text after `fix`. */
  readonly objects: readonly JsonObject[];
  readonly probes: number;
  /** The number of findings whose advice was applied. */
  readonly advice: number;
  /** The notes for people about the file; a line each. */
  readonly remarks: readonly string[];
  readonly problems: readonly FileProblem[];
}

/**
 * Adds probes to the objects of a file, and applies the advice of checks if asked.
 *
 * @param advice the findings whose advice is applied. Undefined = none
 */
export function fixFile(source: ParsedText, inputs: Inputs, advice: AdviceSelection | undefined): FixedFile {
  const { file, text: before } = source;
  const fixed = fixText(source, inputs);
  const edited = editText(fixed);
  const remarks = [...fixed.remarks, ...edited.remarks];
  const probes = edited.problems.length > 0 ? 0 : fixed.insertions.length;
  const done = { file, before, remarks, problems: edited.problems, probes, advice: 0 };
  if (advice === undefined) return { ...done, after: edited.text, objects: fixed.objects };
  const { text, applied, remarks: more } = withAdvice(source, inputs, advice, edited.text);
  const objects = manifestsOf({ ...source, text }).manifests.map(({ object }) => object);
  return { ...done, after: text, objects, advice: applied, remarks: [...remarks, ...more] };
}

/** A text that cannot be edited stays unchanged; the other texts are edited all the same. */
function editText({ file, text, insertions }: FixedText): Pick<FixedFile, 'remarks' | 'problems'> & { text: string } {
  try {
    const result = withFieldEdits(text, insertions);
    const remarks = result.reprinted.map(
      (index) =>
        `${file}: document ${index + 1} cannot be edited in place (aliases, or an unusual form), so the document is printed again`,
    );
    return { text: result.text, remarks, problems: [] };
  } catch (error) {
    const message = `no probes are written into this file: ${messageOf(error)}`;
    return { text, remarks: [], problems: [{ file, line: 1, column: 1, message }] };
  }
}
