import { decodeProblem } from '../probes/decode.ts';
import { isJsonObject, objectMember, stringMap, stringMember } from '../probes/json.ts';
import { jsonWithLiterals, valueAt } from './json-literals.ts';
import { checkPolicyByContainer } from '../policy/check-policy.ts';
import { laxer } from '../policy/check-catalogue.ts';
import { judge } from '../admission/judge.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import { formatPath } from '../policy/problems.ts';
import { unknownProbeFields } from '../checks/unknown-fields.ts';
import {
  hasControllerOwner,
  isBeingDeleted,
  isMirrorPod,
  podTemplatesOf,
  workloadKindOfManifest,
} from '../workload/kinds.ts';
import { duplicateKeysIn } from './duplicate-keys.ts';
import { policiesAmong } from './policies-among.ts';
import { describeManifest, manifestsOf } from './manifests.ts';
import { parseFieldPath } from './field-path.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { JsonObject } from '../probes/json.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { Violation } from '../checks/violation.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';
import type { YamlDocument } from '../sources/yaml-documents.ts';
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
  const literals: Literals = new Map();
  for (const text of texts) {
    const found = manifestsOf(text);
    manifests.push(...found.manifests);
    for (const { document } of found.manifests) literals.set(document, () => jsonWithLiterals(text.text));
    problems.push(...found.problems);
  }
  const { set: policies, problems: policyProblems } = policiesAmong(manifests, policyTexts);
  problems.push(...policyProblems);
  let workloads = 0;
  const violations: PlacedViolation[] = [];
  const warnings: FileProblem[] = [];
  for (const [index, manifest] of manifests.entries()) {
    progress(index, manifests.length);
    const found = checkManifest(manifest, policies, settings, { problems, warnings, literals });
    if (found === undefined) continue;
    workloads += 1;
    violations.push(...found);
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
  { problems, warnings, literals }: { problems: FileProblem[]; warnings: FileProblem[]; literals: Literals },
): PlacedViolation[] | undefined {
  const { object, document, path } = manifest;
  const kind = workloadKindOfManifest(object, settings.kinds);
  if (kind === undefined || isBeingDeleted(object) || isMirrorPod(object)) return undefined;
  const isOwned = hasControllerOwner(object);
  if (kind.kind !== 'Pod' && isOwned) return undefined;
  const templates = podTemplatesOf(object, kind);
  if (templates.length === 0) return undefined;
  const metadata: JsonObject = objectMember(object, 'metadata') ?? {};
  const namespace = stringMember(metadata, 'namespace') ?? settings.namespace;
  const { violations, warnings: ignored } = judge({ object, kind, templates, namespace }, policies, true);
  const place = { file: document.file, ...document.position(path) };
  const of = describeManifest(object, namespace);
  warnings.push(...ignored.map((warning) => ({ ...place, message: `warning: ${of}: ${warning}` })));
  const cap = isOwned ? 'Audit' : settings.enforcement;
  const undecodable = templates.flatMap((template) => undecodableNumber(manifest, template, literals));
  // The API server decodes before it validates, and answers with the first thing that it cannot decode.
  const judged = undecodable.length === 0 ? violations : violations.filter(({ check }) => check !== 'valid-probe');
  return [
    ...undecodable,
    ...templates.flatMap((template) => offline(manifest, template, policies, namespace, problems)),
    ...judged,
  ].map((violation) => ({
    ...violation,
    action: laxer(violation.action, cap),
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
  const { layers } = policies.policyFor(namespace, stringMap(objectMember(template, 'metadata') ?? {}, 'labels'));
  const policyFor = checkPolicyByContainer(layers);
  return [...misspelt, ...duplicates].flatMap((field): Violation[] => {
    const action = policyFor(field.container).get('valid-probe')?.action ?? 'Deny';
    return action === 'Off' ? [] : [{ ...field, check: 'valid-probe', action, reason: 'FieldValueForbidden' }];
  });
}

/** For each document of a JSON text, its value with the numbers that parsing changes. */
type Literals = Map<YamlDocument, () => unknown>;

/** A number in a JSON text that is an integer to a parser but not to the API server: `1.0`, `1e1`. */
function undecodableNumber({ document, path }: Manifest, placed: PlacedTemplate, literals: Literals): Violation[] {
  const podSpec = valueAt(literals.get(document)?.(), [...path, ...placed.path, 'spec']);
  const problem = isJsonObject(podSpec) ? decodeProblem(podSpec, formatPath([...placed.path, 'spec'])) : undefined;
  if (problem === undefined) return [];
  const container = valueAt(
    placed.template,
    parseFieldPath(problem.path).slice(placed.path.length, placed.path.length + 3),
  );
  const name = isJsonObject(container) ? (stringMember(container, 'name') ?? '') : '';
  return [{ check: 'valid-probe', action: 'Deny', container: name, ...problem }];
}
