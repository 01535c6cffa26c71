import { isOfController, observedKinds, type ObservedKind } from '../observed-workload.ts';
import { refusal } from '../../cluster/client/live-reader.ts';
import { collectionPath } from '../../cluster/client/api-path.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { LIST_WORKLOADS, type Report, type ReportedWorkload } from '../../explain/fleet-page/report.ts';
import { rolloutHold } from '../../explain/fleet-page/restart-line.ts';
import { liveFindings } from '../../explain/fleet-page/live-findings.ts';
import { count } from '../../base/text/cut.ts';
import { explainManifest } from '../../explain/timeline/explain-manifest.ts';
import { sourcesOf } from '../../engine/verdict/judge.ts';
import { judgeLive, type VerdictSettings } from '../scan/verdicts.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObserverContext } from '../observer-part.ts';

/** Workloads that a page reads. A page of the whole of a huge cluster would cost minutes and memory. */
const MOST_READ_WORKLOADS = 5_000;
const MOST_ROWS = 1_000;

export interface FleetSources
  extends VerdictSettings, Pick<ObserverContext, 'client' | 'kinds' | 'store' | 'isExempt' | 'extraResults'> {
  /** Why this replica does not know all that the page is about; undefined when it knows all. */
  readonly gap: string | undefined;
}

/**
 * Reads the workloads of the cluster, page by page, and judges each as the webhook would. Of an object only what the
 * page shows is kept. What cannot be read is named in the report.
 *
 * @param now milliseconds since the epoch
 * @returns undefined until the policies have been read
 */
export async function fleetReport(sources: FleetSources, now: number): Promise<Report | undefined> {
  const snapshot = sources.store.current;
  if (snapshot === undefined) return undefined;
  const { client } = sources;
  const { kinds, problems: found } = await observedKinds(client, sources.kinds);
  const problems = [...(sources.gap === undefined ? [] : [sources.gap]), ...found];
  const workloads: ReportedWorkload[] = [];
  let leftOut = 0;
  for (const kind of kinds) {
    if (leftOut > 0) break;
    try {
      await new PagedList(client).forEachPage({ path: collectionPath(kind.served), dropsStatus: true }, ({ items }) => {
        for (const item of items) {
          if (isOfController(item, kind.served)) continue;
          if (workloads.length >= MOST_READ_WORKLOADS) leftOut += 1;
          if (leftOut > 0) return false;
          const workload = reportedWorkload(item, kind, snapshot, sources, now);
          if (workload !== undefined) workloads.push(workload);
        }
        return true;
      });
    } catch (error) {
      problems.push(refusal(`cannot list ${kind.served.resource} in all namespaces`, error));
    }
  }
  if (leftOut > 0)
    problems.push(
      `The cluster has more than ${count(MOST_READ_WORKLOADS, 'workload')}, and this page is about so many of them. ` +
        'The reports and metrics of the observer are about all. For a page about a namespace: probewright report -n NAMESPACE.',
    );
  return {
    subject: 'the cluster',
    now,
    workloads,
    mostRows: MOST_ROWS,
    isLive: true,
    snapshot,
    problems,
    nextSteps: [{ text: 'Exempt namespaces are left out. See what the cluster has:', command: LIST_WORKLOADS }],
  };
}

function reportedWorkload(
  item: KubernetesObject,
  kind: ObservedKind,
  snapshot: Snapshot,
  { kinds, isExempt, extraResults, ...settings }: FleetSources,
  now: number,
): ReportedWorkload | undefined {
  const { namespace = '', name } = item.metadata;
  const judged = isExempt(namespace) ? undefined : judgeLive(item, kind, snapshot, settings, now);
  if (judged === undefined) return undefined;
  const hold = rolloutHold(item as unknown as JsonObject);
  const named = { namespace, kind: kind.served.kind, group: kind.served.group, name, hold };
  const context = { snapshot, namespace, kinds, now };
  const explanation = explainManifest(judged.object, `${named.kind} ${namespace}/${name}`, context);
  if (explanation === undefined) return undefined;
  const { warnings, stored } = judged;
  const violations = judged.violations.map((one) => {
    const how = stored(one);
    return how === undefined ? one : { ...one, message: `${one.message} (stored ${how})` };
  });
  // The page does not show what set each field.
  const containers = explanation.containers.map((container) => ({ ...container, fields: [] }));
  const live = liveFindings(extraResults.of(named), named);
  return { explanation: { ...explanation, containers }, violations, policies: sourcesOf(judged), warnings, live };
}
