import { effectiveTemplate } from '../engine/defaulting/effective.ts';
import { formatNotInjected } from '../engine/defaulting/reason.ts';
import { objectMember, stringMembers } from '../base/json/json-value.ts';
import { describeManifest, namespaceOf, placeOfManifest } from './input/manifest.ts';
import { permittedDefaulting } from '../engine/verdict/permitted-defaulting.ts';
import { templatesToLookAt, withTemplateAt, workloadKindOfManifest } from '../engine/workload/kinds.ts';
import { workloadNameOf } from '../engine/workload/workload-of-pod.ts';
import type { Defaulting } from '../engine/defaulting/default-probes.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Inputs, ParsedText } from './input/inputs.ts';
import type { Manifest } from './input/manifest.ts';
import type { DocumentEdit } from '../yaml/editing/field-editing.ts';

/** A text, and what is to be written into it. */
export interface FixedText {
  readonly file: string;
  readonly text: string;
  /** The objects of the text, with probes. */
  readonly objects: readonly JsonObject[];
  /** The probes to write into the text. */
  readonly insertions: readonly DocumentEdit[];
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
  readonly insertions: readonly DocumentEdit[];
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
  const insertions: DocumentEdit[] = [];
  const defaultings: Defaulting[] = [];
  for (const { template, path: templatePath } of found.templates) {
    const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    const policy = policies.policyFor(namespaceOf(object) ?? namespace, labels, workloadNameOf(object, kind, false));
    const defaulting = permittedDefaulting(template, policy, kind);
    defaultings.push(defaulting);
    fixed = withTemplateAt(fixed, templatePath, effectiveTemplate(template, defaulting.injections)) as JsonObject;
    for (const { container, kind: key, probe } of defaulting.injections) {
      const containerPath = [...path, ...templatePath, 'spec', container.list, container.index];
      insertions.push({ document: document.index, path: [...containerPath, key], value: probe });
    }
  }
  return { object: fixed, defaultings, insertions };
}
