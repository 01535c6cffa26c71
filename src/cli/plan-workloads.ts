import { objectMember, stringMember } from '../base/json/json-value.ts';
import { manifestsAsSent } from './input/manifests-as-sent.ts';
import { namespaceOf } from './input/manifest.ts';
import { templatesToLookAt, workloadKindOfManifest } from '../engine/workload/kinds.ts';
import { strayFields, violationsOfText } from './text-violations.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';
import type { Inputs } from './input/inputs.ts';
import type { Manifest } from './input/manifest.ts';
import type { Workload } from '../engine/verdict/compare/workload.ts';

/**
 * The workloads of the inputs, one by one, with the violations that only a manifest shows.
 *
 * @param problemsFor the problems of the inputs, a list for each snapshot. The problem of a doubled key is removed from
 *   the list, because a violation replaces the problem
 */
export function* workloadsOf(
  inputs: Inputs,
  problemsFor: (policies: Snapshot) => FileProblem[],
): Generator<Workload, undefined, undefined> {
  for (const text of inputs.texts) {
    const sent = manifestsAsSent(text);
    for (const [index, manifest] of text.manifests.entries()) {
      const workload = workloadOf(manifest, sent[index] ?? manifest, inputs, problemsFor);
      if (workload !== undefined) yield workload;
    }
  }
}

/** Undefined for objects that the webhook would skip. */
function workloadOf(
  manifest: Manifest,
  sent: Manifest,
  inputs: Inputs,
  problemsFor: (policies: Snapshot) => FileProblem[],
): Workload | undefined {
  const { object } = manifest;
  const kind = workloadKindOfManifest(object, inputs.kinds);
  if (kind === undefined) return undefined;
  const [found, foundAsSent] = [templatesToLookAt(object, kind), templatesToLookAt(sent.object, kind)];
  if ('skipped' in found || 'skipped' in foundAsSent) return undefined;
  const metadata = objectMember(object, 'metadata') ?? {};
  const namespace = namespaceOf(object) ?? inputs.namespace;
  const subject = { object: sent.object, kind, templates: foundAsSent.templates, namespace };
  return {
    object,
    kind,
    templates: found.templates,
    namespace,
    name: stringMember(metadata, 'name') ?? stringMember(metadata, 'generateName') ?? '',
    ...(sent !== manifest && { asSent: subject }),
    violationsOfText: (policies) => [
      ...violationsOfText(sent, subject, policies, inputs.now, problemsFor(policies)),
      ...strayFields(subject, policies, inputs.now),
    ],
  };
}
