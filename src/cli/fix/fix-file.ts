import { formatNotInjected } from '../../engine/defaulting/injection.ts';
import { type JsonObject } from '../../base/json/json-value.ts';
import { describeManifest, manifestsOf, placeOfManifest, policyOfPod, workloadIn } from '../input/manifest.ts';
import type { Manifest, ParsedText } from '../input/manifest.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { withEdits } from '../../base/json/field-path.ts';
import { withFieldEdits, type DocumentEdit } from '../../yaml/editing/field-editing.ts';
import { withAdvice, type AdviceSelection } from './advice.ts';
import type { PlacedViolation } from '../check/report.ts';
import type { Inputs } from '../input/inputs.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

export interface FixedFile {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly objects: readonly JsonObject[];
  readonly probes: number;
  readonly advice: number;
  /** The findings that need a hand, with --advice. */
  readonly left: readonly PlacedViolation[];
  readonly remarks: readonly string[];
  readonly problems: readonly FileProblem[];
}

/**
 * Adds probes to the objects of a file, and applies the advice of checks if asked.
 *
 * @param advice the findings whose advice is applied. Undefined = none
 */
export function fixFile(source: ParsedText, inputs: Inputs, advice: AdviceSelection | undefined): FixedFile {
  const { file, text: before, manifests } = source;
  const fixes = manifests.map((manifest) => fixManifest(manifest, inputs));
  const insertions = fixes.flatMap((fix) => fix.insertions);
  const edited = editText(file, before, insertions);
  const remarks = [...fixes.flatMap((fix) => fix.remarks), ...edited.remarks];
  const probes = edited.problems.length > 0 ? 0 : insertions.length;
  const done = { file, before, remarks, problems: edited.problems, probes, advice: 0, left: [] };
  if (advice === undefined) return { ...done, after: edited.text, objects: fixes.map(({ object }) => object) };
  const { text, applied, left, remarks: more } = withAdvice(source, inputs, advice, edited.text);
  const objects = manifestsOf({ ...source, text }).manifests.map(({ object }) => object);
  return { ...done, after: text, objects, advice: applied, left, remarks: [...remarks, ...more] };
}

/** A text that cannot be edited stays unchanged; the other texts are edited all the same. */
function editText(
  file: string,
  text: string,
  insertions: readonly DocumentEdit[],
): Pick<FixedFile, 'remarks' | 'problems'> & { text: string } {
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

interface FixedManifest {
  readonly object: JsonObject;
  readonly insertions: readonly DocumentEdit[];
  readonly remarks: readonly string[];
}

function fixManifest(manifest: Manifest, inputs: Inputs): FixedManifest {
  const { object, document, path } = manifest;
  const workload = workloadIn(object, inputs);
  if (workload === undefined) return { object, insertions: [], remarks: [] };
  const defaultings = workload.pods.map((pod) => permittedDefaulting(pod, policyOfPod(workload, pod, inputs.policies)));
  const added = defaultings.flatMap(({ injections }) =>
    injections.map(({ container, kind, probe }) => ({ path: container.place.path(kind), value: probe })),
  );
  const insertions = added.map((edit) => ({ ...edit, document: document.index, path: [...path, ...edit.path] }));
  const place = `${placeOfManifest(manifest)}: ${describeManifest(object, workload.namespace)}`;
  const remarks = [
    ...defaultings.flatMap(({ notInjected }) => notInjected.map(formatNotInjected)),
    ...defaultings.flatMap(({ warnings }) => warnings),
  ];
  return { object: withEdits(object, added), insertions, remarks: remarks.map((remark) => `${place}: ${remark}`) };
}
