import { formatNotInjected } from '../../engine/defaulting/not-injected.ts';
import { type JsonObject } from '../../base/json/json-value.ts';
import { describeManifest, placeOfManifest, workloadIn, type Manifest } from '../input/manifest.ts';
import { manifestsOf, type ParsedText } from '../input/manifests.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { hasProbe, type Pod } from '../../engine/workload/pod.ts';
import { storedPod } from '../../webhook/review/stored-pod.ts';
import { valueAt, withEdits, type FieldEdit } from '../../base/json/field-path.ts';
import { withFieldEdits, type DocumentEdit } from '../../yaml/editing/field-editing.ts';
import { withAdvice, type AdviceSelection } from './advice.ts';
import type { PlacedViolation } from '../check/report.ts';
import type { World } from '../input/world.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

export interface FixedFile {
  readonly source: ParsedText;
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
export function fixFile(source: ParsedText, world: World, advice: AdviceSelection | undefined): FixedFile {
  const { file, text: before, manifests } = source;
  const fixes = manifests.map((manifest) => fixManifest(manifest, world));
  const insertions = fixes.flatMap((fix) => fix.insertions);
  const edited = editText(file, before, insertions);
  const remarks = [...fixes.flatMap((fix) => fix.remarks), ...edited.remarks];
  const probes = edited.problems.length > 0 ? 0 : insertions.length;
  const done = { source, file, before, remarks, problems: edited.problems, probes, advice: 0, left: [] };
  if (advice === undefined) return { ...done, after: edited.text, objects: fixes.map(({ object }) => object) };
  const { text, applied, left, remarks: more } = withAdvice(source, world, advice, edited.text);
  const objects = manifestsOf({ ...source, text }).manifests.map(({ object }) => object);
  return { ...done, after: text, objects, advice: applied, left, remarks: [...remarks, ...more] };
}

/** A text that cannot be edited stays unchanged; the other texts are edited all the same. */
function editText(file: string, text: string, insertions: readonly DocumentEdit[]) {
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

function fixManifest(manifest: Manifest, world: World) {
  const { object, document, path } = manifest;
  const workload = workloadIn(object, world);
  if (workload === undefined) return { object, insertions: [], remarks: [] };
  const stored = workload.pods.map(({ template }) => storedPod(workload, template, world.snapshot, world.now));
  const added = workload.pods.flatMap((pod, index) => addedProbes(pod, stored[index]?.pod));
  const place = `${placeOfManifest(manifest)}: ${describeManifest(object, workload.namespace)}`;
  const remarks = [
    ...stored.flatMap(({ decision }) => decision.defaulting?.notInjected.map(formatNotInjected) ?? []),
    ...stored.flatMap(({ decision: { defaulting, reply } }) => defaulting?.warnings ?? reply.response.warnings ?? []),
  ];
  return {
    object: withEdits(object, added),
    insertions: added.map((edit) => ({ document: document.index, path: [...path, ...edit.path], value: edit.value })),
    remarks: remarks.map((remark) => `${place}: ${remark}`),
  };
}

/** The probes that the stored Pod has and the template lacks, as edits of the workload. */
function addedProbes({ containers }: Pod, stored: unknown): FieldEdit[] {
  return containers.flatMap((container) =>
    PROBE_KINDS.filter((kind) => !hasProbe(container, kind)).flatMap((kind) => {
      const value = valueAt(stored, ['spec', container.list, container.index, kind]);
      return value === undefined || value === null ? [] : [{ path: container.place.path(kind), value }];
    }),
  );
}
