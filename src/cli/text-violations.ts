import { objectMember, stringMembers } from '../json/json-value.ts';
import { misplacedProbes } from '../checks/misplaced-probes.ts';
import { unknownProbeFields } from '../checks/unknown-fields.ts';
import { validProbe } from '../checks/valid-probe.ts';
import { duplicateKeysIn } from '../manifests/duplicate-keys.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Snapshot } from '../facts/snapshot.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { Violation } from '../checks/violation.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { Manifest } from '../manifests/manifest.ts';

/** Violations that only a manifest shows: fields that the API server drops before it calls a webhook. */
export function strayFields(
  object: JsonObject,
  kind: WorkloadKind,
  templates: readonly PlacedTemplate[],
  policies: Snapshot,
  namespace: string,
): Violation[] {
  return templates.flatMap((placed) =>
    [
      ...unknownProbeFields(objectMember(placed.template, 'spec') ?? {}, [...placed.path, 'spec']),
      ...misplacedProbes(object, kind, placed),
    ].flatMap((field) => asViolation(field, placed, policies, namespace)),
  );
}

/**
 * Violations that only the text of a manifest shows: keys that are written twice. The file's problem about such a key
 * is removed from `problems`, as the violation replaces it.
 */
export function violationsOfText(
  manifest: Manifest,
  placed: PlacedTemplate,
  policies: Snapshot,
  namespace: string,
  problems: FileProblem[],
): Violation[] {
  return duplicateKeysIn(manifest, placed, problems).flatMap((duplicate) => {
    // An anchored probe is in several containers and has one problem.
    const index = problems.indexOf(duplicate.problem);
    if (index >= 0) problems.splice(index, 1);
    const message =
      'is written twice: kubectl refuses that, and for other clients the last one counts, objects being merged';
    const field = { container: duplicate.container, path: duplicate.path, message };
    return asViolation(field, placed, policies, namespace);
  });
}

/** A field that only a manifest shows, as a violation of valid-probe; none where policies turn that check off. */
function asViolation(
  field: Pick<Violation, 'container' | 'path' | 'message' | 'remedy' | 'edits'>,
  { template }: PlacedTemplate,
  policies: Snapshot,
  namespace: string,
): Violation[] {
  const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
  const { checkPolicy } = policies.policyFor(namespace, labels);
  const action = checkPolicy(field.container).get(validProbe.id)?.action ?? validProbe.action;
  return action === 'Off' ? [] : [{ ...field, check: validProbe.id, action, reason: 'FieldValueForbidden' }];
}
