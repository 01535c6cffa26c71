import { isJsonObject, objectMember, stringMember } from '../json/json-value.ts';
import { PagedList } from '../kubernetes/paged-list.ts';
import { failingResults } from '../observing/failing/failing-results.ts';
import { FailingWorkloads } from '../observing/failing/failing-workloads.ts';
import { podHealth } from '../observing/failing/pod-health.ts';
import { readProbeEvent } from '../observing/failing/probe-event.ts';
import { workloadNameOfPod } from '../observing/pod-workload.ts';
import { workloadKey } from '../observing/workload-key.ts';
import { refusal } from '../sources/cluster-kinds.ts';
import { wrap } from '../text/wrap.ts';
import { clusterChoice } from './cluster-input.ts';
import { printLine } from './io.ts';
import { openCluster } from './read-cluster.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { Inputs } from '../manifests/inputs.ts';
import type { WorkloadName } from '../observing/workload-key.ts';
import type { ClusterLine } from './cluster-input.ts';
import type { CommandIo } from './io.ts';

/** The events of kubelets about probes. A field selector knows no "or". */
const REASONS = ['Unhealthy', 'Killing'];
const WIDTH = 100;

/**
 * Prints why the Pods of named workloads of a cluster are not Ready, by the same rules as the observer. A right that is
 * missing is named on standard error, and costs this part only.
 */
export async function explainFailures(line: ClusterLine, inputs: Inputs, io: CommandIo): Promise<void> {
  if (inputs.isFromCluster !== true || line.flags['all-namespaces']) return;
  const choice = await clusterChoice(line);
  const isNamed = choice !== undefined && 'names' in choice && choice.names.some(({ name }) => name !== undefined);
  if (!isNamed) return;
  const wanted = new Set(
    inputs.texts.flatMap(({ manifests }) => manifests.map(({ object }) => workloadKey(nameOf(object)))),
  );
  const { client, namespace = 'default' } = await openCluster(line, io);
  const report = (problem: string): void => printLine(io.stderr, `probewright explain: ${problem}`);
  const failing = await failuresIn(client, namespace, wanted, inputs.now, report);
  for (const one of failing) {
    const { kind, namespace: place, name } = one.workload;
    printLine(io.stdout, '');
    printLine(io.stdout, `Why is ${kind} ${place}/${name} not Ready?`);
    for (const { message, properties } of failingResults(one)) {
      for (const [index, text] of wrap(message, WIDTH).entries())
        printLine(io.stdout, `${index === 0 ? '  ' : '    '}${text}`);
      for (const text of wrap(properties['fix'] ?? '', WIDTH)) printLine(io.stdout, `      ${text}`);
    }
  }
}

async function failuresIn(
  client: ApiClient,
  namespace: string,
  wanted: ReadonlySet<string>,
  now: number,
  report: (problem: string) => void,
): Promise<ReturnType<FailingWorkloads['findings']>> {
  const workloads = new FailingWorkloads();
  const root = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const list = async (resource: string, query: Record<string, string>, take: (object: JsonObject) => void) => {
    const request = { method: 'GET', path: `${root}/${resource}`, query } as const;
    try {
      await new PagedList(client).forEachPage(request, ({ items }: { items: readonly KubernetesObject[] }) => {
        for (const item of items) take(item as unknown as JsonObject);
      });
    } catch (error) {
      report(refusal(`cannot list ${resource} in namespace ${namespace}`, error));
    }
  };
  await list('pods', {}, (pod) => {
    const workload = workloadNameOfPod(pod);
    const uid = stringMember(objectMember(pod, 'metadata') ?? {}, 'uid');
    if (uid === undefined || workload === undefined || !wanted.has(workloadKey(workload))) return;
    workloads.seen(uid, workload, podHealth(pod));
  });
  if (workloads.troubledPods === 0) return [];
  for (const reason of REASONS) {
    await list('events', { fieldSelector: `involvedObject.kind=Pod,reason=${reason}` }, (event) => {
      const hint = readProbeEvent(event);
      if (hint !== undefined) workloads.hint(hint, now);
    });
  }
  return workloads.findings(now);
}

function nameOf(object: JsonObject): WorkloadName {
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const [group, version] = String(object['apiVersion']).split('/');
  return {
    namespace: stringMember(metadata, 'namespace') ?? '',
    group: version === undefined ? '' : (group ?? ''),
    kind: stringMember(object, 'kind') ?? '',
    name: stringMember(metadata, 'name') ?? '',
  };
}
