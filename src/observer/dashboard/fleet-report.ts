import { PagedList } from '../../cluster/client/paged-list.ts';
import { laxer } from '../../engine/policy/action.ts';
import { liveFindings } from '../../explain/fleet-page/live-findings.ts';
import { reportedChecks, reportedExceptions, reportedStarts } from '../../explain/fleet-page/reported-facts.ts';
import { worstFirst } from '../../explain/fleet-page/rows.ts';
import { discoverKinds, refusal, rootOf } from '../../cluster/sources/cluster-kinds.ts';
import { isOfController, reduceList } from '../../cluster/sources/workload-lists.ts';
import { count } from '../../base/text/count.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { judge } from '../../engine/verdict/judge.ts';
import { isPod, templatesToLookAt, workloadKind } from '../../engine/workload/kinds.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Report, ReportedWorkload } from '../../explain/fleet-page/report.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { ExtraResults } from '../reports/extra-results.ts';

/** Workloads that a page reads. A page of the whole of a huge cluster would cost minutes and memory. */
const MOST_READ_WORKLOADS = 5_000;
/** Workloads that have a row of their own, the worst first. */
const MOST_ROWS = 1_000;

/** The inputs for the reports of a fleet. */
export interface FleetSources {
  readonly client: ApiClient;
  readonly kinds: readonly WorkloadKind[];
  /** The policies in force; undefined until they have been read. */
  readonly snapshot: () => Snapshot | undefined;
  /** True for a namespace that the webhook leaves out. */
  readonly isExempt: (namespace: string) => boolean;
  readonly extraResults: ExtraResults;
  /** The strictest action that a violation may have: the webhook's setting. */
  readonly enforcement: Violation['action'];
  /** Whether the webhook adds probes. */
  readonly addsProbes: boolean;
  readonly version: string;
  /** Why this replica does not know all that the page is about; undefined when it knows all. */
  readonly gap: () => string | undefined;
}

/**
 * Reads the workloads of the cluster, page by page, and judges each as the webhook would. Of an object only what the
 * page shows is kept. What cannot be read is named in the report.
 *
 * @param now milliseconds since the epoch
 * @returns undefined until the policies have been read
 */
export async function fleetReport(sources: FleetSources, now: number): Promise<Report | undefined> {
  const snapshot = sources.snapshot();
  if (snapshot === undefined) return undefined;
  const { client, kinds: known, version } = sources;
  const { kinds, problems: found } = await discoverKinds(client, known);
  const gap = sources.gap();
  const problems = [...(gap === undefined ? [] : [gap]), ...found];
  const workloads: ReportedWorkload[] = [];
  let isComplete = true;
  for (const kind of kinds) {
    isComplete &&= await readKind(client, kind, problems, (object) => {
      if (workloads.length >= MOST_READ_WORKLOADS) return false;
      const workload = reportedWorkload(object, kind, snapshot, sources, now);
      if (workload !== undefined) workloads.push(workload);
      if (workloads.length % MOST_ROWS === 0) dropTimes(workloads);
      return true;
    });
  }
  if (!isComplete)
    problems.push(
      `The cluster has more than ${count(MOST_READ_WORKLOADS, 'workload')}, and this page is about so many of them. ` +
        'The reports and metrics of the observer are about all. For a page about a namespace: probewright report -n NAMESPACE.',
    );
  return {
    subject: 'the cluster',
    now,
    version,
    workloads,
    mostRows: MOST_ROWS,
    policies: snapshot.policies.map(({ source }) => ({ source, advice: [] })),
    exceptions: reportedExceptions(snapshot),
    problems,
    checks: reportedChecks(),
  };
}

/**
 * Drops what only rows show of the workloads that will have no row. The worst so far stay: later ones can only
 * take their places.
 */
function dropTimes(workloads: ReportedWorkload[]): void {
  const worst = new Set(worstFirst(workloads).slice(0, MOST_ROWS));
  for (const [index, workload] of workloads.entries()) {
    if (worst.has(workload)) continue;
    const containers = workload.explanation.containers.map((each) => ({
      ...each,
      fields: [],
      scenes: [],
      caveats: [],
    }));
    workloads[index] = { ...workload, explanation: { ...workload.explanation, containers, notInjected: [] } };
  }
}

/** An error that ends a list: nothing more is wanted of it. */
class Enough extends Error {}

/** @returns false when `take` wanted no more */
async function readKind(
  client: ApiClient,
  kind: ClusterKind,
  problems: string[],
  take: (object: KubernetesObject) => boolean,
): Promise<boolean> {
  const path = `${rootOf(kind.apiVersion)}/${kind.resource}`;
  try {
    await new PagedList(client).forEachPage({ path, reduce: reduceList }, ({ items }) => {
      for (const item of items) if (!isOfController(item, kind) && !take(item)) throw new Enough();
    });
    return true;
  } catch (error) {
    if (error instanceof Enough) return false;
    problems.push(refusal(`cannot list ${kind.resource} in all namespaces`, error));
    return true;
  }
}

/** Undefined for objects that the webhook would skip, or would never see. */
function reportedWorkload(
  item: KubernetesObject,
  served: ClusterKind,
  snapshot: Snapshot,
  { kinds, isExempt, extraResults, enforcement, addsProbes }: FleetSources,
  now: number,
): ReportedWorkload | undefined {
  // Lists leave out the type of their items.
  const object = { ...item, apiVersion: served.apiVersion, kind: served.kind } as unknown as JsonObject;
  const kind = workloadKind(served.group, served.kind, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found === undefined || 'skipped' in found) return undefined;
  const { namespace = '', name } = item.metadata;
  if (isExempt(namespace)) return undefined;
  const explanation = explainManifest(object, `${served.kind} ${namespace}/${name}`, {
    policies: snapshot,
    namespace,
    kinds,
    now,
  });
  if (explanation === undefined) return undefined;
  const subject = { object, kind, templates: found.templates, namespace };
  const { violations, warnings, policies } = judge(subject, snapshot, addsProbes && !isPod(kind), now);
  const named = { namespace, kind: served.kind, group: served.group, name };
  return {
    kind: served.kind,
    namespace,
    name,
    explanation,
    violations: violations.map((violation) => ({ ...violation, action: laxer(violation.action, enforcement) })),
    policies,
    warnings,
    learned: reportedStarts(
      snapshot,
      explanation,
      explanation.containers.map((container) => container.name),
    ),
    live: liveFindings(extraResults.of(named), named),
  };
}
