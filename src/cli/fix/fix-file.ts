import { effectiveTemplate } from '../../defaulting/effective.ts';
import { formatNotInjected } from '../../defaulting/reason.ts';
import { objectMember, stringMembers } from '../../json/json-value.ts';
import { describeManifest, manifestsOf, namespaceOf, placeOfManifest } from '../../manifests/manifest.ts';
import { messageOf } from '../../text/error-message.ts';
import { permittedDefaulting } from '../../verdict/permitted-defaulting.ts';
import { templatesToLookAt, withTemplateAt, workloadKindOfManifest } from '../../workload/kinds.ts';
import { workloadNameOf } from '../../workload/workload-of-pod.ts';
import { insertIntoYaml } from '../../yaml/editing/insertion.ts';
import { withAdvice } from './advice.ts';
import type { Defaulting } from '../../defaulting/default-probes.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { Inputs } from '../../manifests/inputs.ts';
import type { ParsedText } from '../../manifests/manifest.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import type { FileProblem } from '../../sources/policy-documents.ts';
import type { Insertion } from '../../yaml/editing/key-insertion.ts';
import type { AdviceSelection } from './advice.ts';

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
    const result = insertIntoYaml(text, insertions);
    const remarks = result.rewritten.map(
      (index) =>
        `${file}: document ${index + 1} cannot be edited in place (aliases, or an unusual form), so the document is printed again`,
    );
    return { text: result.text, remarks, problems: [] };
  } catch (error) {
    const message = `no probes are written into this file: ${messageOf(error)}`;
    return { text, remarks: [], problems: [{ file, line: 1, column: 1, message }] };
  }
}

/** A text, and what is to be written into it. */
export interface FixedText {
  readonly file: string;
  readonly text: string;
  /** The objects of the text, with probes. */
  readonly objects: readonly JsonObject[];
  /** The probes to write into the text. */
  readonly insertions: readonly Insertion[];
  /** Why containers got no probe, and warnings; a line each. */
  readonly remarks: readonly string[];
}

/** Decides which probes the policies add to the Pods of a text. */
export function fixText({ file, text, manifests }: ParsedText, inputs: Inputs): FixedText {
  const fixes = manifests.map((manifest) => ({ manifest, fix: fixManifest(manifest, inputs) }));
  return {
    file,
    text,
    objects: fixes.map(({ manifest, fix }) => fix?.object ?? manifest.object),
    insertions: fixes.flatMap(({ fix }) => fix?.insertions ?? []),
    remarks: fixes.flatMap(({ manifest, fix }) => {
      if (fix === undefined) return [];
      const description = describeManifest(manifest.object, namespaceOf(manifest.object) ?? inputs.namespace);
      const place = `${placeOfManifest(manifest)}: ${description}`;
      return [
        ...fix.defaultings.flatMap(({ notInjected }) => notInjected.map(formatNotInjected)),
        ...fix.defaultings.flatMap(({ warnings }) => warnings),
      ].map((remark) => `${place}: ${remark}`);
    }),
  };
}

interface FixedManifest {
  readonly object: JsonObject;
  readonly defaultings: readonly Defaulting[];
  readonly insertions: readonly Insertion[];
}

/** Undefined for objects without a Pod template, and for objects that the webhook would skip. */
function fixManifest(
  { object, document, path }: Manifest,
  { policies, kinds, namespace }: Inputs,
): FixedManifest | undefined {
  const kind = workloadKindOfManifest(object, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  let fixed = object;
  const insertions: Insertion[] = [];
  const defaultings: Defaulting[] = [];
  for (const { template, path: templatePath } of found.templates) {
    const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    const policy = policies.policyFor(namespaceOf(object) ?? namespace, labels, workloadNameOf(object, kind, false));
    const defaulting = permittedDefaulting(template, policy, kind);
    defaultings.push(defaulting);
    fixed = withTemplateAt(fixed, templatePath, effectiveTemplate(template, defaulting.injections)) as JsonObject;
    for (const { container, kind: key, probe } of defaulting.injections) {
      const containerPath = [...path, ...templatePath, 'spec', container.list, container.index];
      insertions.push({ document: document.index, path: containerPath, key, value: probe });
    }
  }
  return { object: fixed, defaultings, insertions };
}
