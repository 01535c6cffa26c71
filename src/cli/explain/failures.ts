import { objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { failingResults } from '../../observer/failing/failing-results.ts';
import { FailingWorkloads } from '../../observer/failing/failing-workloads.ts';
import { podHealth } from '../../observer/failing/pod-health.ts';
import { PROBE_EVENT_REASONS, readProbeEvent } from '../../observer/failing/probe-events.ts';
import { workloadKey, workloadNameOfPod, type WorkloadName } from '../../observer/observed-workload.ts';
import { refusal } from '../../cluster/sources/cluster-kinds.ts';
import { wrap } from '../../base/text/wrap.ts';
import { clusterChoice, type ClusterLine } from '../input/cluster-choice.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { namespaceOf } from '../input/manifest.ts';
import { openCluster } from '../input/cluster-inputs.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Inputs } from '../input/inputs.ts';
import type { ReportResult } from '../../observer/reports/report-result.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { WorkloadExplanation } from '../../explain/timeline/explanation.ts';
import type { ListedFailure } from '../output/json-outputs.ts';

const WIDTH = 100;

/** Why the Pods of workloads are not Ready, by the object of the workload. Undefined when that is not known. */
export type FailuresOf = (object: JsonObject) => readonly ListedFailure[] | undefined;

/**
 * Reads why the Pods of named workloads of a cluster are not Ready, by the same rules as the observer. A right that is
 * missing is named on standard error, and costs this part only.
 */
export async function readFailures(line: ClusterLine, inputs: Inputs, io: CommandIo): Promise<FailuresOf> {
  const unknown: FailuresOf = () => undefined;
  if (!inputs.isFromCluster || line.flags['all-namespaces']) return unknown;
  const choice = await clusterChoice(line);
  const isNamed = choice.kind === 'cluster' && choice.names.some(({ name }) => name !== undefined);
  if (!isNamed) return unknown;
  const wanted = new Set(
    inputs.texts.flatMap(({ manifests }) => manifests.map(({ object }) => workloadKey(workloadNameOf(object)))),
  );
  const { client, namespace = 'default' } = await openCluster(line, io);
  const root = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const workloads = new FailingWorkloads();
  const problems = new Set<string>();
  const list = async (resource: string, query: Record<string, string>, take: (object: JsonObject) => void) => {
    const request = { method: 'GET', path: `${root}/${resource}`, query } as const;
    try {
      await new PagedList(client).forEachPage(request, ({ items }: { items: readonly KubernetesObject[] }) => {
        for (const item of items) take(item as unknown as JsonObject);
      });
    } catch (error) {
      problems.add(refusal(`cannot list ${resource} in namespace ${namespace}`, error));
    }
  };
  await list('pods', {}, (pod) => {
    const workload = workloadNameOfPod(pod);
    const uid = stringMember(objectMember(pod, 'metadata') ?? {}, 'uid');
    if (uid === undefined || workload === undefined || !wanted.has(workloadKey(workload))) return;
    workloads.seen(uid, workload, podHealth(pod));
  });
  // After a refusal, events are listed too, so that all missing rights are named at once.
  for (const reason of workloads.heldPods === 0 && problems.size === 0 ? [] : PROBE_EVENT_REASONS)
    await list('events', { fieldSelector: `involvedObject.kind=Pod,reason=${reason}` }, (event) => {
      const hint = readProbeEvent(event);
      if (hint !== undefined) workloads.hint(hint, inputs.now);
    });
  for (const problem of problems) printLine(io.stderr, `${PROGRAM} explain: ${problem}`);
  // Without Pods or events, an empty list would mean that nothing fails.
  if (problems.size > 0) return unknown;
  const failing = workloads.findings(inputs.now);
  const found = new Map(failing.map((one) => [workloadKey(one.workload), failingResults(one).map(listedFailure)]));
  return (object) => found.get(workloadKey(workloadNameOf(object))) ?? [];
}

function listedFailure({ message, properties }: ReportResult): ListedFailure {
  const { cause = '', container, probe, fix = '', since, workloads } = properties;
  return {
    cause,
    ...(container !== undefined && { container }),
    ...(probe !== undefined && { probe: probe as ProbeKind }),
    message,
    remedy: fix,
    ...(since !== undefined && { since }),
    ...(workloads !== undefined && { together: workloads }),
  };
}

/** Prints why workloads are not Ready. Workloads without failures are left out. */
export function printFailures(workloads: readonly WorkloadWithFailures[], io: CommandIo): void {
  for (const { kind, namespace, name, failures = [] } of workloads) {
    if (failures.length === 0) continue;
    printLine(io.stdout, '');
    printLine(io.stdout, `Why is ${kind} ${namespace}/${name} not Ready?`);
    for (const { message, remedy } of failures) {
      for (const [index, text] of wrap(message, WIDTH).entries())
        printLine(io.stdout, `${index === 0 ? '  ' : '    '}${text}`);
      for (const text of wrap(remedy, WIDTH)) printLine(io.stdout, `      ${text}`);
    }
  }
}

export type WorkloadWithFailures = WorkloadExplanation & { readonly failures?: readonly ListedFailure[] };

function workloadNameOf(object: JsonObject): WorkloadName {
  return {
    namespace: namespaceOf(object) ?? '',
    group: groupOfVersion(String(object['apiVersion'])),
    kind: stringMember(object, 'kind') ?? '',
    name: stringMember(objectMember(object, 'metadata') ?? {}, 'name') ?? '',
  };
}
