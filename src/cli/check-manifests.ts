import { append } from './append.ts';
import { isJsonObject, objectMember, stringMembers, stringMember } from '../probes/json.ts';
import { jsonWithLiterals, valueAt } from './json-literals.ts';
import { laxer } from '../policy/check-catalogue.ts';
import { judge } from '../verdict/judge.ts';
import { formatPath } from '../policy/problems.ts';
import { unknownProbeFields } from '../checks/unknown-fields.ts';
import { templatesToLookAt, workloadKindOfManifest } from '../workload/kinds.ts';
import { duplicateKeysIn } from './duplicate-keys.ts';
import { policiesAmong } from './policies-among.ts';
import { describeManifest, manifestsOf } from './manifests.ts';
import { parseFieldPath } from './field-path.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { JsonObject } from '../probes/json.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { Violation } from '../checks/violation.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { CheckReport, PlacedViolation } from './check-report.ts';
import type { Manifest, ManifestText } from './manifests.ts';

/** How manifests are looked at. */
export interface CheckSettings {
  /** Namespace of objects that name none. */
  readonly namespace: string;
  readonly enforcement: Enforcement;
  readonly kinds: readonly WorkloadKind[];
}

/**
 * Gives every workload in the texts the verdict that the webhook would give it at CREATE. Policies and Namespaces may stand among the
 * manifests; those of `policyTexts` come with them.
 */
export function checkTexts(
  texts: readonly ManifestText[],
  policyTexts: readonly ManifestText[],
  settings: CheckSettings,
  progress: (done: number, total: number) => void = () => undefined,
): CheckReport {
  const problems: FileProblem[] = [];
  const manifests: Manifest[] = [];
  const sent: Manifest[] = [];
  for (const text of texts) {
    const found = manifestsOf(text);
    append(manifests, found.manifests);
    append(sent, asSent(text, found.manifests));
    append(problems, found.problems);
  }
  const { set: policies, problems: policyProblems } = policiesAmong(manifests, policyTexts);
  append(problems, policyProblems);
  let workloads = 0;
  const violations: PlacedViolation[] = [];
  const warnings: FileProblem[] = [];
  for (const [index, manifest] of sent.entries()) {
    progress(index, manifests.length);
    const found = checkManifest(manifest, policies, settings, { problems, warnings });
    if (found === undefined) continue;
    workloads += 1;
    append(violations, found);
  }
  const count = (action: string): number => violations.filter((violation) => violation.action === action).length;
  const summary = {
    objects: manifests.length,
    workloads,
    deny: count('Deny'),
    warn: count('Warn'),
    audit: count('Audit'),
  };
  return { violations, summary, warnings, problems };
}

/** Undefined for objects that the webhook would let through without a look. */
function checkManifest(
  manifest: Manifest,
  policies: PolicySet,
  settings: CheckSettings,
  { problems, warnings }: { problems: FileProblem[]; warnings: FileProblem[] },
): PlacedViolation[] | undefined {
  const { object, document, path } = manifest;
  const kind = workloadKindOfManifest(object, settings.kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  const { templates } = found;
  const metadata: JsonObject = objectMember(object, 'metadata') ?? {};
  const namespace = stringMember(metadata, 'namespace') ?? settings.namespace;
  const { violations, warnings: ignored } = judge({ object, kind, templates, namespace }, policies, true);
  const place = { file: document.file, ...document.position(path) };
  const of = describeManifest(object, namespace);
  append(
    warnings,
    ignored.map((warning) => ({ ...place, message: `warning: ${of}: ${warning}` })),
  );
  return [
    ...templates.flatMap((template) => offline(manifest, template, policies, namespace, problems)),
    ...violations,
  ].map((violation) => ({
    ...violation,
    action: laxer(violation.action, settings.enforcement),
    file: document.file,
    ...document.position([...path, ...parseFieldPath(violation.path)], { key: true }),
    kind: kind.kind,
    namespace,
    name: stringMember(metadata, 'name') ?? stringMember(metadata, 'generateName') ?? '',
  }));
}

/**
 * What only a manifest shows: fields that the API server would have dropped before any webhook, and keys that are written twice. The latter are
 * taken from the file's problems: they are findings here.
 */
function offline(
  manifest: Manifest,
  placed: PlacedTemplate,
  policies: PolicySet,
  namespace: string,
  problems: FileProblem[],
): Violation[] {
  const { template, path } = placed;
  const misspelt = unknownProbeFields(objectMember(template, 'spec') ?? {}, formatPath([...path, 'spec']));
  const duplicates = duplicateKeysIn(manifest, placed, problems).map((duplicate) => {
    // Once: an anchored probe stands in several containers, but was written in one place.
    const at = problems.indexOf(duplicate.problem);
    if (at >= 0) problems.splice(at, 1);
    const message =
      'is written twice: kubectl refuses that, and for other clients the last one counts, objects being merged';
    return { container: duplicate.container, path: formatPath(duplicate.path), message };
  });
  const { checkPolicy } = policies.policyFor(
    namespace,
    stringMembers(objectMember(template, 'metadata') ?? {}, 'labels'),
  );
  return [...misspelt, ...duplicates].flatMap((field): Violation[] => {
    const action = checkPolicy(field.container).get('valid-probe')?.action ?? 'Deny';
    return action === 'Off' ? [] : [{ ...field, check: 'valid-probe', action, reason: 'FieldValueForbidden' }];
  });
}

/**
 * The manifests of a text as the API server would decode them: in JSON, a number such as `1.0` is a literal that valid-probe refuses. (In YAML, kubectl
 * makes it 1.)
 */
function asSent({ text }: ManifestText, manifests: readonly Manifest[]): Manifest[] {
  const literal = jsonWithLiterals(text);
  if (literal === undefined) return [...manifests];
  return manifests.map((manifest) => {
    const object = valueAt(literal, manifest.path);
    return isJsonObject(object) ? { ...manifest, object } : manifest;
  });
}
