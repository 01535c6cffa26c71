import { validProbe } from '../../checks/valid-probe.ts';
import { objectMember, stringMember } from '../../json/json-value.ts';
import { describeManifest, manifestsAsSent } from '../../manifests/manifest.ts';
import { laxer } from '../../policy/action.ts';
import { judge } from '../../verdict/judge.ts';
import { withSafeAdvice } from '../../verdict/safe-advice.ts';
import { podTemplatesOf, templatesToLookAt, workloadKindOfManifest } from '../../workload/kinds.ts';
import { removedVersionOf } from '../../workload/removed-versions.ts';
import { coverageOfInputs } from './coverage.ts';
import { policyFindings } from './policy-findings.ts';
import { strayFields, violationsOfText } from './text-violations.ts';
import type { Enforcement } from '../../admission/validate.ts';
import type { Violation } from '../../checks/violation.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { Inputs } from '../../manifests/inputs.ts';
import type { Manifest } from '../../manifests/manifest.ts';
import type { FileProblem } from '../../sources/policy-documents.ts';
import type { WorkloadKind } from '../../workload/kinds.ts';
import type { CheckReport, PlacedViolation } from './report.ts';

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

/** The decoder's word for a value that should be a string, and what YAML calls the value. */
const DECODED_AS = /^json: cannot unmarshal (bool|number)\b.* of type string$/;

/**
 * Names the word in the file where YAML reads a word without quotes as a boolean or a number, but the field is a
 * string: `image: y`. The API server only sees `true`. The edit writes the word back as a string.
 */
export function withBareScalar(
  violation: Violation,
  { document, path }: Pick<Manifest, 'document' | 'path'>,
): Violation {
  const type = DECODED_AS.exec(violation.message)?.[1];
  if (type === undefined || violation.check !== validProbe.id) return violation;
  const word = document.plainScalar([...path, ...violation.path]);
  if (word === undefined || word.length > LONGEST_WORD) return violation;
  return {
    ...violation,
    remedy: `quote it: ${word} is a ${type === 'bool' ? 'boolean' : 'number'} in YAML 1.1`,
    edits: [{ path: violation.path, value: word }],
  };
}

/** Booleans are short. A longer number is no help in a message. */
const LONGEST_WORD = 40;
