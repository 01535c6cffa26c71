import { formatPath } from '../base/json/field-path.ts';
import { objectMember, stringMembers } from '../base/json/json-value.ts';
import { explainManifest } from '../explain/timeline/explain-manifest.ts';
import { count } from '../base/text/count.ts';
import { templatesToLookAt, workloadKindOfManifest } from '../engine/workload/kinds.ts';
import { VERSION } from '../base/version.ts';
import { checkInputs } from './check-inputs.ts';
import { liveFindings } from '../explain/fleet-page/live-findings.ts';
import { reportedChecks, reportedExceptions, reportedStarts } from '../explain/fleet-page/reported-facts.ts';
import { apiGroup, observedResults } from './observed-results.ts';
import { isInCluster } from './cluster-place.ts';
import { placeOfManifest } from './input/manifest.ts';
import { sourcesOf } from '../engine/policy/layer-sources.ts';
import type { FieldPath } from '../base/json/field-path.ts';
import type { Inputs } from './input/inputs.ts';
import type { Manifest } from './input/manifest.ts';
import type { Report, ReportedPolicy, ReportedWorkload } from '../explain/fleet-page/report.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';
import type { PlacedViolation } from './check-report.ts';
import type { ClusterLine } from './cluster-input.ts';
import type { ObservedResults } from './observed-results.ts';

/** The report of a command's inputs. Its verdicts are those of `check`. */
export function reportOfInputs(
  inputs: Inputs,
  line: ClusterLine,
  progress: (done: number, total: number) => void,
): { readonly report: Report; readonly warnings: readonly FileProblem[] } {
  const { violations, warnings, problems } = checkInputs(inputs, 'Deny', progress);
  const byObject = Map.groupBy(
    violations,
    ({ file, object }) => object && placeKey(file, object.document, object.path),
  );
  const observed = observedResults(inputs);
  const workloads = inputs.texts
    .flatMap(({ manifests }) => manifests)
    .flatMap((manifest) => {
      const { document, path } = manifest;
      const found = byObject.get(placeKey(document.file, document.index, path)) ?? [];
      return reportedWorkload(manifest, found, inputs, observed) ?? [];
    });
  return {
    report: {
      subject: subjectOf(inputs, line),
      now: inputs.now,
      version: VERSION,
      workloads,
      policies: reportedPolicies(inputs, byObject.get(undefined) ?? []),
      exceptions: reportedExceptions(inputs.policies),
      problems: problems.map(({ file, line: at, message }) =>
        isInCluster(file, inputs) ? `${file}: ${message}` : `${file}:${at}: ${message}`,
      ),
      checks: reportedChecks(),
    },
    warnings: [...warnings],
  };
}

/** A NUL is in no path and no name of a field. */
function placeKey(file: string, document: number, path: FieldPath): string {
  return `${file}\0${document}\0${formatPath(path)}`;
}

/** Undefined for objects that the webhook would skip. */
function reportedWorkload(
  manifest: Manifest,
  violations: readonly PlacedViolation[],
  inputs: Inputs,
  observed: ObservedResults,
): ReportedWorkload | undefined {
  const { object, document } = manifest;
  const place = isInCluster(document.file, inputs) ? document.file : placeOfManifest(manifest);
  const explanation = explainManifest(object, place, inputs);
  if (explanation === undefined) return undefined;
  const { kind, namespace, name } = explanation;
  return {
    kind,
    namespace,
    name,
    explanation,
    violations,
    policies: policiesOf(object, namespace, inputs),
    warnings: [],
    learned: reportedStarts(
      inputs.policies,
      explanation,
      explanation.containers.map((container) => container.name),
    ),
    live: liveFindings(observed(object, namespace, name), { namespace, group: apiGroup(object), kind, name }),
  };
}

/** The policies that apply to the Pods of an object. */
function policiesOf(object: Manifest['object'], namespace: string, { kinds, policies }: Inputs): string[] {
  const kind = workloadKindOfManifest(object, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (found === undefined || 'skipped' in found) return [];
  const sources = found.templates.flatMap(({ template }) => {
    const labels = stringMembers(objectMember(template, 'metadata') ?? {}, 'labels');
    return sourcesOf(policies.policyFor(namespace, labels).layers);
  });
  return [...new Set(sources)];
}

function reportedPolicies({ policies }: Inputs, findings: readonly PlacedViolation[]): ReportedPolicy[] {
  return policies.policies.map(({ source, kind, namespace = '', name }) => ({
    source,
    advice: findings.filter((found) => found.kind === kind && found.namespace === namespace && found.name === name),
  }));
}

/** The description of the inputs, for the head of the page. */
function subjectOf({ isFromCluster, texts, namespace }: Inputs, { flags }: ClusterLine): string {
  if (isFromCluster !== true) return count(new Set(texts.map(({ file }) => file)).size, 'file');
  const context = flags.context === undefined ? 'the cluster' : `the cluster of context ${flags.context}`;
  return flags['all-namespaces'] ? `all namespaces of ${context}` : `namespace ${namespace} of ${context}`;
}
