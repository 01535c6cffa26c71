import { replaceFile } from '../../base/files/replace-file.ts';
import { type JsonObject } from '../../base/json/json-value.ts';
import { placeOfObject, placeText } from '../input/cluster-object.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { workloadIn, type Manifest, manifestsIn } from '../input/manifest.ts';
import type { Manifests } from '../input/manifests.ts';
import { liveFindings, type LiveResult } from '../../explain/fleet-page/live-findings.ts';
import { reportPage } from '../../explain/fleet-page/report-page.ts';
import {
  LIST_WORKLOADS,
  type NextStep,
  type ReportedAdvice,
  type Report,
  type ReportedWorkload,
} from '../../explain/fleet-page/report.ts';
import { readObserverReport, type ObservedResult } from '../../cluster/sources/observer-reports.ts';
import { count } from '../../base/text/cut.ts';
import { shellQuoted } from '../../base/text/shell-word.ts';
import { withoutWrongStarts } from '../../observer/failing/causes.ts';
import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { workloadKey, type NamedObject } from '../../observer/observed-workload.ts';
import { isFailingRule } from '../../engine/facts/live-rules.ts';
import { nameOfManifest, readLivePods, type NamedInputs, type Live } from '../input/live.ts';
import { checkManifests } from '../check/check-manifests.ts';
import { withoutRepeatsByObject, type PlacedViolation } from '../check/report.ts';
import { EXIT_OK, EXIT_USAGE, PROGRAM, printLine, type CommandIo } from '../io.ts';
import { reportProblems, wasWritten, Progress } from '../output/messages.ts';
import { readAnyInputs } from '../input/command-inputs.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { World } from '../input/world.ts';
import type { OneLook } from '../../observer/one-look.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ClusterLine } from '../input/cluster-choice.ts';
import type { REPORT } from './definition.ts';

export async function runReport(line: ParsedCommandLine<typeof REPORT.flags>, io: CommandIo): Promise<number> {
  const progress = new Progress(io);
  const given = await readAnyInputs('report', line, io, progress, { readsReports: true, webhook: 'exempts' });
  const look = await readLivePods('report', given, io, true);
  const { report, warnings } = reportOf(given, look, line, (done, total) => {
    progress.show('checking', done, total, 'objects');
  });
  progress.end();
  if (report.workloads.length === 0 && report.problems.length === 0)
    printLine(io.stderr, `${PROGRAM} report: the inputs have no workload, so the page is empty`);
  const [page, file] = [reportPage(report), line.flags['output-file']];
  if (file === undefined) io.stdout.write(page);
  const isWritten = file === undefined || (await wasWritten('report', file, io, () => replaceFile(file, page)));
  reportProblems([...warnings, ...given.manifests.problems], io, given.world);
  return isWritten && given.manifests.problems.length === 0 ? EXIT_OK : EXIT_USAGE;
}

function reportOf(
  { manifests, world, live }: NamedInputs,
  look: OneLook | undefined,
  line: ClusterLine,
  progress: (done: number, total: number) => void,
): { readonly report: Report; readonly warnings: readonly FileProblem[] } {
  const { violations, notes = [], warnings, problems } = checkManifests(manifests, world, { progress });
  // Each manifest has its own path object. Places are no keys: a template may be rendered to several texts.
  const byObject = Map.groupBy(violations, ({ object }) => object?.path);
  const observed = observedResults(manifests, live);
  const liveOf = (workload: NamedObject): readonly LiveResult[] => liveResults(look, workload, observed(workload));
  const workloads = manifestsIn(manifests).flatMap((manifest) => {
    const found = byObject.get(manifest.path) ?? [];
    return reportedWorkload(manifest, found, world, liveOf) ?? [];
  });
  return {
    report: {
      subject: `${subjectOf(manifests, world, line)}${unknownStates(manifests, look, live)}`,
      now: world.now,
      workloads,
      tier: world.tier,
      isLive: look?.knowsFailures ?? false,
      snapshot: world.snapshot,
      advice: adviceOf(world, withoutRepeatsByObject(byObject.get(undefined) ?? [])),
      problems: problems.map((problem) => `${placeText(problem, world)}: ${problem.message}`),
      nextSteps: [nextStep(world, line)],
    },
    warnings: [...notes, ...warnings],
  };
}

function reportedWorkload(
  manifest: Manifest,
  violations: readonly PlacedViolation[],
  world: World,
  live: (workload: NamedObject) => readonly LiveResult[],
): ReportedWorkload | undefined {
  const { object } = manifest;
  const explanation = explainManifest(object, placeOfObject(manifest, world), world);
  if (explanation === undefined) return undefined;
  const { kind, namespace, name } = explanation;
  const workload = { ...nameOfManifest(object), kind, namespace, name };
  const results = live(workload);
  return {
    explanation,
    violations: withoutRepeats(withoutWrongStarts(violations, results)),
    policies: policiesOf(object, world),
    warnings: [],
    live: liveFindings(results, workload),
  };
}

function policiesOf(object: JsonObject, world: World): string[] {
  const { pods = [], namespace = '' } = workloadIn(object, world) ?? {};
  const sources = pods.flatMap(({ labels }) => world.snapshot.policyFor(namespace, labels).sources);
  return [...new Set(sources)];
}

function adviceOf(
  { snapshot }: World,
  findings: readonly PlacedViolation[],
): ReadonlyMap<string, readonly ReportedAdvice[]> {
  return new Map(
    snapshot.policies.map(({ source, kind, namespace = '', name }): [string, readonly ReportedAdvice[]] => [
      source,
      findings.filter((found) => found.kind === kind && found.namespace === namespace && found.name === name),
    ]),
  );
}

function subjectOf({ texts }: Manifests, { isFromCluster, namespace }: World, { flags }: ClusterLine): string {
  if (!isFromCluster) return count(new Set(texts.map(({ file }) => file)).size, 'file');
  const context = flags.context === undefined ? 'the cluster' : `the cluster of context ${flags.context}`;
  return flags['all-namespaces'] ? `all namespaces of ${context}` : `namespace ${namespace} of ${context}`;
}

/** What to type when the inputs have no workload. */
function nextStep({ isFromCluster }: World, { flags }: ClusterLine): NextStep {
  if (isFromCluster && flags['all-namespaces'])
    return { text: 'See what the cluster has, also in exempt namespaces:', command: LIST_WORKLOADS };
  const context = flags.context === undefined ? '' : ` --context ${shellQuoted(flags.context)}`;
  return {
    text: isFromCluster
      ? 'Read all namespaces:'
      : 'Name files or directories with Deployments, StatefulSets, DaemonSets, Jobs or Pods, or read a cluster:',
    command: `${PROGRAM} report -A${context} > report.html`,
  };
}

/** Says which states of Pods the page cannot know. Empty where Pods and their events were read. */
function unknownStates(manifests: Manifests, look: OneLook | undefined, live: Live | undefined): string {
  if (look?.knowsFailures === true) return '';
  const isReported = [
    ...manifestsIn(manifests).map(({ object }) => readObserverReport(object)),
    ...(live?.reports ?? []),
  ].some((report) => report !== undefined);
  const known = isReported ? 'beyond what the observer had reported, ' : '';
  const states =
    look === undefined ? 'failing probes, restarts, waiting Pods and missing probes' : 'failing probes and restarts';
  return ` (${known}${states} of live Pods are unknown)`;
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
function observedResults(
  manifests: Manifests,
  live: Live | undefined,
): (workload: NamedObject) => readonly ObservedResult[] {
  const ofFiles = manifestsIn(manifests).flatMap(({ object }) => readObserverReport(object) ?? []);
  // The version of a kind may differ between two readers, so the group counts.
  const byWorkload = Map.groupBy([...ofFiles, ...(live?.reports ?? [])], ({ apiVersion, ...workload }) =>
    workloadKey({ ...workload, group: groupOfVersion(apiVersion) }),
  );
  return (workload) => byWorkload.get(workloadKey(workload))?.flatMap(({ results }) => results) ?? [];
}
