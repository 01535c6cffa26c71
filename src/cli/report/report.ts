import { replaceFile } from '../../base/files/replace-file.ts';
import { member, type JsonObject } from '../../base/json/json-value.ts';
import { placeOfObject, placeText } from '../input/cluster-object.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { manifestsIn, workloadIn, type Manifest } from '../input/manifest.ts';
import { liveFindings, type LiveResult } from '../../explain/fleet-page/live-findings.ts';
import { reportPage } from '../../explain/fleet-page/report-page.ts';
import type { ReportedAdvice, Report, ReportedWorkload } from '../../explain/fleet-page/report.ts';
import { readObserverReport, type ObservedResult } from '../../cluster/sources/observer-reports.ts';
import { count } from '../../base/text/cut.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { workloadKey, type NamedObject } from '../../observer/observed-workload.ts';
import { isFailingRule } from '../../engine/facts/live-rules.ts';
import { readLivePods } from '../input/live-pods.ts';
import { checkInputs } from '../check/check-inputs.ts';
import { withoutRepeatsByObject } from '../check/report.ts';
import { EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems, wasWritten, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { Inputs } from '../input/inputs.ts';
import type { OneLook } from '../../observer/one-look.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedViolation } from '../check/report.ts';
import type { ClusterLine } from '../input/cluster-choice.ts';
import type { REPORT } from './definition.ts';

export async function runReport(line: ParsedCommandLine<typeof REPORT.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const inputs = await readAnyInputs('report', line, io, progress, { readsReports: true, webhook: 'exempts' });
  const look = await readLivePods('report', inputs, io, true);
  const { report, warnings } = reportOfInputs(inputs, look, line, (done, total) => {
    progress.show('checking', done, total, 'objects');
  });
  progress.end();
  if (report.workloads.length === 0 && report.problems.length === 0)
    printLine(io.stderr, `${PROGRAM} report: the inputs have no workload, so the page is empty`);
  const [page, file] = [reportPage(report), line.flags['output-file']];
  if (file === undefined) io.stdout.write(page);
  const isWritten = file === undefined || (await wasWritten('report', file, io, () => replaceFile(file, page)));
  reportProblems([...warnings, ...inputs.problems], io, inputs);
  return isWritten && inputs.problems.length === 0 ? EXIT_OK : EXIT_USAGE;
}

function reportOfInputs(
  inputs: Inputs,
  look: OneLook | undefined,
  line: ClusterLine,
  progress: (done: number, total: number) => void,
): { readonly report: Report; readonly warnings: readonly FileProblem[] } {
  const { violations, notes = [], warnings, problems } = checkInputs(inputs, 'Deny', progress);
  // Each manifest has its own path object. Places are no keys: a template may be rendered to several texts.
  const byObject = Map.groupBy(withoutRepeatsByObject(violations), ({ object }) => object?.path);
  const observed = observedResults(inputs);
  const live = (workload: NamedObject): readonly LiveResult[] => liveResults(look, workload, observed(workload));
  const workloads = manifestsIn(inputs).flatMap((manifest) => {
    const found = byObject.get(manifest.path) ?? [];
    return reportedWorkload(manifest, found, inputs, live) ?? [];
  });
  return {
    report: {
      subject: subjectOf(inputs, line),
      now: inputs.now,
      workloads,
      isLive: look?.knowsFailures ?? false,
      snapshot: inputs.policies,
      advice: adviceOf(inputs, byObject.get(undefined) ?? []),
      problems: problems.map((problem) => `${placeText(problem, inputs)}: ${problem.message}`),
    },
    warnings: [...notes, ...warnings],
  };
}

function reportedWorkload(
  manifest: Manifest,
  violations: readonly PlacedViolation[],
  inputs: Inputs,
  live: (workload: NamedObject) => readonly LiveResult[],
): ReportedWorkload | undefined {
  const { object } = manifest;
  const explanation = explainManifest(object, placeOfObject(manifest, inputs), inputs);
  if (explanation === undefined) return undefined;
  const { kind, namespace, name } = explanation;
  const workload = { namespace, group: groupOfVersion(String(member(object, 'apiVersion'))), kind, name };
  return {
    explanation,
    violations,
    policies: policiesOf(object, inputs),
    warnings: [],
    live: liveFindings(live(workload), workload),
  };
}

function policiesOf(object: JsonObject, inputs: Inputs): string[] {
  const { pods = [], namespace = '' } = workloadIn(object, inputs) ?? {};
  const sources = pods.flatMap(({ labels }) => inputs.policies.policyFor(namespace, labels).sources);
  return [...new Set(sources)];
}

function adviceOf(
  { policies }: Inputs,
  findings: readonly PlacedViolation[],
): ReadonlyMap<string, readonly ReportedAdvice[]> {
  return new Map(
    policies.policies.map(({ source, kind, namespace = '', name }): [string, readonly ReportedAdvice[]] => [
      source,
      findings.filter((found) => found.kind === kind && found.namespace === namespace && found.name === name),
    ]),
  );
}

function subjectOf({ isFromCluster, texts, namespace }: Inputs, { flags }: ClusterLine): string {
  if (!isFromCluster) return count(new Set(texts.map(({ file }) => file)).size, 'file');
  const context = flags.context === undefined ? 'the cluster' : `the cluster of context ${flags.context}`;
  return flags['all-namespaces'] ? `all namespaces of ${context}` : `namespace ${namespace} of ${context}`;
}

/** What the look tells now, and the rest of what the observer has reported. */
function liveResults(
  look: OneLook | undefined,
  workload: NamedObject,
  observed: readonly ObservedResult[],
): readonly LiveResult[] {
  const { failing = [], missedResults = [] } = look?.of(workload) ?? {};
  const isFresh = look?.knowsFailures === true;
  const reported = observed.filter(({ rule }) => (isFailingRule(rule) ? !isFresh : missedResults.length === 0));
  // Without the right to read events, the observer knows more than the status tells.
  return [...(reported.some(({ rule }) => isFailingRule(rule)) ? [] : failing), ...missedResults, ...reported];
}

/** The results of an observer's reports: those among the manifests, and those of a cluster. */
function observedResults(inputs: Inputs): (workload: NamedObject) => readonly ObservedResult[] {
  const { observed = [] } = inputs;
  const ofFiles = manifestsIn(inputs).flatMap(({ object }) => readObserverReport(object) ?? []);
  // The version of a kind may differ between two readers, so the group counts.
  const byWorkload = Map.groupBy([...ofFiles, ...observed], ({ apiVersion, ...workload }) =>
    workloadKey({ ...workload, group: groupOfVersion(apiVersion) }),
  );
  return (workload) => byWorkload.get(workloadKey(workload))?.flatMap(({ results }) => results) ?? [];
}
