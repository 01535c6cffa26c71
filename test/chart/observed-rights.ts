import { observeConfig } from '../../src/cli/process/observe.ts';
import { OBSERVE } from '../../src/cli/process/observe-definition.ts';
import { parseCommandLine } from '../../src/cli/flags/parse-command-line.ts';
import { startObserver } from '../../src/observer/observe.ts';
import { createLogger } from '../../src/process/log.ts';
import { NATIVE_POLICY_NAME } from '../../src/engine/policy/injection-tier.ts';
import { NATIVE_POLICY } from '../../src/native/objects.ts';
import { KNOWN_KINDS, type WorkloadKind } from '../../src/engine/workload/kinds.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';
import { PATIENCE, StrictCluster } from './strict-cluster.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { FakeApiServer, ServedKind } from '../cluster/client/fake-api-server.ts';
import type { Manifest } from './helm.ts';
import type { UsedRights } from './served-rights.ts';

const FLEET: WorkloadKind = {
  group: 'example.com',
  kind: 'Fleet',
  templatePaths: [['spec', 'template']],
  runsToCompletion: false,
};
const KINDS: readonly WorkloadKind[] = [...KNOWN_KINDS, FLEET];
/** The second API comes to the cluster later. `auto` prefers it. */
const REPORTS: readonly ServedKind[] = [
  { apiVersion: 'wgpolicyk8s.io/v1alpha2', kind: 'PolicyReport', resource: 'policyreports' },
  { apiVersion: 'openreports.io/v1alpha1', kind: 'Report', resource: 'reports' },
];
/** A report of a workload that does not exist any more. */
const oldReport = {
  metadata: { name: 'probewright-old', labels: { 'app.kubernetes.io/managed-by': 'probewright' } },
};
const PODS = '/api/v1/namespaces/shop/pods';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/** Runs `probewright observe` as the chart does, makes it do all that it can do, and returns the rights without use. */
export async function observedRights(manifests: readonly Manifest[]): Promise<UsedRights> {
  const cluster = await StrictCluster.start(manifests, 'probewright-observer');
  const { api } = cluster;
  const line = parseCommandLine(OBSERVE, cluster.args, {});
  if (line.kind !== 'command') throw new Error(JSON.stringify(line));
  const config = observeConfig(line.flags);
  const lines: string[] = [];
  for (const kind of KINDS) api.put(collection(served(kind)), workload(kind, 'htpp'));
  for (const kind of REPORTS) api.put(collection(kind), oldReport);
  for (const manifest of manifests.filter(({ kind }) => kind === 'MutatingWebhookConfiguration'))
    api.put(`${ADMISSION}/mutatingwebhookconfigurations`, manifest);
  api.put(`${ADMISSION}/mutatingadmissionpolicies`, NATIVE_POLICY);
  const spec = { policyName: NATIVE_POLICY_NAME };
  api.put(`${ADMISSION}/mutatingadmissionpolicybindings`, { metadata: { name: NATIVE_POLICY_NAME }, spec });
  api.serve(KINDS.map(served));
  cluster.authorize();
  const observer = await startObserver(
    {
      ...config,
      host: '127.0.0.1',
      healthPort: 0,
      dashboardPort: config.dashboardPort === undefined ? undefined : 0,
    },
    {
      log: createLogger('info', { write: (text) => void lines.push(text) }),
      now: () => Date.now(),
      monotonic: () => performance.now(),
    },
  );
  try {
    await observer.started;
    // Reports begin after the first scan: each workload is then read again.
    await waitUntil('a scan is finished', () => lines.some((text) => text.includes('scan_finished')), PATIENCE);
    startPods(api);
    for (const kind of REPORTS) {
      api.serve([...KINDS.map(served), ...REPORTS.slice(0, REPORTS.indexOf(kind) + 1)]);
      if (config.reports === 'auto' || kind.apiVersion.startsWith(config.reports)) await changeReports(cluster, kind);
    }
    await cluster.allUsed();
    return { unused: cluster.unused, refused: cluster.refused };
  } finally {
    await observer.stop();
    await cluster.stop();
  }
}

/** Each kind has a Pod that becomes ready one second after its start. Nothing makes Pods of a PodTemplate. */
function startPods(api: FakeApiServer): void {
  const began = Math.floor(Date.now() / 1000);
  for (const isReady of [false, true])
    for (const kind of KINDS.filter((each) => !['Pod', 'PodTemplate'].includes(each.kind)))
      api.put(PODS, startingPod(served(kind), began, isReady));
}

/** Waits for the reports of all workloads. Then one report has to change, and another one has to go. */
async function changeReports(cluster: StrictCluster, kind: ServedKind): Promise<void> {
  const { api } = cluster;
  const isFirst = kind === REPORTS[0];
  const expected = KINDS.length - (isFirst ? 0 : 1);
  await waitUntil('there are reports', () => api.list(collection(kind)).length >= expected, PATIENCE);
  const [changed, repaired] = [kindOf('Deployment'), kindOf(isFirst ? 'StatefulSet' : 'DaemonSet')];
  api.put(collection(served(changed)), workload(changed, isFirst ? 'hppt' : 'pthp'));
  api.put(collection(served(repaired)), workload(repaired, 'http'));
  await cluster.allUsed(kind.resource);
}

function kindOf(name: string): WorkloadKind {
  const found = KNOWN_KINDS.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`there is no kind ${name}`);
  return found;
}

function served({ group, kind }: WorkloadKind): ServedKind {
  return { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, resource: `${kind.toLowerCase()}s` };
}

function collection({ apiVersion, resource }: ServedKind): string {
  return `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}/namespaces/shop/${resource}`;
}

/** An object of a kind with a probe on this port, in each of its Pod templates. */
function workload({ kind, templatePaths }: WorkloadKind, port: string): object {
  const container = {
    name: 'app',
    image: 'registry.example/app:1',
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/ready', port } },
  };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
  const object: JsonObject = { kind, metadata: { name: 'web' } };
  return templatePaths.reduce<JsonObject>((whole, path) => placed(whole, path, template), object);
}

function placed(object: JsonObject, [step, ...rest]: readonly string[], template: JsonObject): JsonObject {
  if (step === undefined) return { ...object, ...template, metadata: object['metadata'] ?? template['metadata'] };
  if (rest[0] === '*') return { ...object, [step]: [{ name: 'one', ...placed({}, rest.slice(1), template) }] };
  const inner = (object[step] ?? {}) as JsonObject;
  return { ...object, [step]: placed(inner, rest, template) };
}

/** A Pod of the workload web that begins to run, or is ready one second later. */
function startingPod({ apiVersion, kind }: ServedKind, began: number, isReady: boolean): object {
  const at = (second: number): string => new Date((began + second) * 1000).toISOString().replace('.000', '');
  const owner = { apiVersion, kind, name: 'web', uid: 'owner', controller: true };
  const container = {
    name: 'app',
    image: 'registry.example/app:1',
    ports: [{ name: 'http', containerPort: 8080 }],
    startupProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
    readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
  };
  const status = {
    name: 'app',
    ready: isReady,
    started: isReady,
    restartCount: 0,
    containerID: 'containerd://a',
    state: { running: { startedAt: at(0) } },
    lastState: {},
  };
  return {
    metadata: {
      name: `web-${apiVersion.replaceAll('/', '-')}-${kind.toLowerCase()}`,
      uid: `${apiVersion}/${kind}`,
      creationTimestamp: at(0),
      ownerReferences: [owner],
    },
    spec: { nodeName: 'node-1', containers: [container] },
    status: {
      phase: 'Running',
      containerStatuses: [status],
      conditions: [
        { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at(isReady ? 1 : 0) },
        { type: 'ContainersReady', status: isReady ? 'True' : 'False', lastTransitionTime: at(isReady ? 1 : 0) },
      ],
    },
  };
}
