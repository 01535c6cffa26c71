import { objectMember, stringMember } from '../base/json/json-value.ts';
import { laxer } from '../engine/policy/action.ts';
import { withBareScalar } from './bare-scalar.ts';
import { judge } from '../engine/verdict/judge.ts';
import { withSafeAdvice } from '../engine/verdict/safe-advice.ts';
import { podTemplatesOf, templatesToLookAt, workloadKindOfManifest } from '../engine/workload/kinds.ts';
import { removedVersionOf } from '../engine/workload/removed-versions.ts';
import { describeManifest } from './input/manifest.ts';
import { manifestsAsSent } from './input/manifests-as-sent.ts';
import { coverageOfInputs } from './check-coverage.ts';
import { policyFindings } from './policy-findings.ts';
import { strayFields, violationsOfText } from './text-violations.ts';
import type { Enforcement } from '../engine/verdict/modes.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';
import type { Violation } from '../engine/checks/violation.ts';
import type { WorkloadKind } from '../engine/workload/kinds.ts';
import type { Inputs } from './input/inputs.ts';
import type { Manifest } from './input/manifest.ts';
import type { CheckReport, PlacedViolation } from './check-report.ts';

/**
 * Gives every workload of the inputs the verdict that the webhook would give at CREATE.
 *
 * @param enforcement the strictest action of a violation
 * @param progress is called before each object
 */
export function checkInputs(
  inputs: Inputs,
  enforcement: Enforcement,
  progress: (done: number, total: number) => void = () => undefined,
): CheckReport {
  const sent = inputs.texts.flatMap(manifestsAsSent);
  const problems = [...inputs.problems];
  let workloads = 0;
  const warnings = [...inputs.policyWarnings];
  const ofWorkloads = sent.flatMap((manifest, index) => {
    progress(index, sent.length);
    const checked = checkManifest(manifest, inputs, problems);
    if (checked === undefined) return [];
    workloads += 1;
    for (const warning of checked.warnings) warnings.push(warning);
    return checked.violations;
  });
  const violations = [...policyFindings(inputs, ofWorkloads), ...ofWorkloads].map((violation) => ({
    ...violation,
    action: laxer(violation.action, enforcement),
  }));
  const count = (action: string): number => violations.filter((violation) => violation.action === action).length;
  const summary = {
    objects: sent.length,
    workloads,
    deny: count('Deny'),
    warn: count('Warn'),
    audit: count('Audit'),
    excepted: count('Excepted'),
    coverage: coverageOfInputs(inputs),
  };
  return { ...isFromCluster(inputs), violations, summary, warnings, problems };
}

function isFromCluster(inputs: Inputs): Pick<CheckReport, 'isFromCluster'> {
  return inputs.isFromCluster === true ? { isFromCluster: true } : {};
}

/** The findings in one object. */
interface CheckedManifest {
  readonly violations: readonly PlacedViolation[];
  readonly warnings: readonly FileProblem[];
}

/** Undefined for objects that the webhook would skip. */
function checkManifest(manifest: Manifest, inputs: Inputs, problems: FileProblem[]): CheckedManifest | undefined {
  const { object, document, path } = manifest;
  const { policies, now } = inputs;
  const kind = workloadKindOfManifest(object, inputs.kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  const { templates } = found;
  const metadata: JsonObject = objectMember(object, 'metadata') ?? {};
  const namespace = stringMember(metadata, 'namespace') ?? inputs.namespace;
  const subject = { object, kind, templates, namespace };
  const verdict = judge(subject, policies, true, now);
  const violations = [
    ...violationsOfText(manifest, subject, policies, now, problems),
    ...withSafeAdvice(
      object,
      [
        ...strayFields(subject, policies, now),
        ...verdict.violations.map((violation) => withBareScalar(violation, manifest)),
      ],
      (edited) => violationsOfObject(edited, kind, policies, namespace, now),
    ),
  ];
  const place = { file: document.file, ...document.position(path) };
  const description = describeManifest(object, namespace);
  return {
    violations: violations.map((violation) => ({
      ...violation,
      file: document.file,
      ...document.position([...path, ...violation.path], { key: true }),
      object: { document: document.index, path },
      kind: kind.kind,
      namespace,
      name: stringMember(metadata, 'name') ?? stringMember(metadata, 'generateName') ?? '',
    })),
    warnings: [...versionWarnings(object, inputs), ...verdict.warnings].map((warning) => ({
      ...place,
      message: `warning: ${description}: ${warning}`,
    })),
  };
}

/** A cluster returns only objects in versions that it serves. */
function versionWarnings(object: JsonObject, { isFromCluster }: Inputs): string[] {
  const removed = isFromCluster === true ? undefined : removedVersionOf(object);
  if (removed === undefined) return [];
  const { apiVersion, removedIn, today } = removed;
  return [`${apiVersion} was removed in Kubernetes ${removedIn}; write apiVersion: ${today}`];
}

/** Judges an object again, after edits. */
function violationsOfObject(
  object: JsonObject,
  kind: WorkloadKind,
  policies: Snapshot,
  namespace: string,
  now: number,
): readonly Violation[] {
  const subject = { object, kind, templates: podTemplatesOf(object, kind), namespace };
  const { violations } = judge(subject, policies, true, now);
  return [...strayFields(subject, policies, now), ...violations];
}
