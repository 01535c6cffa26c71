import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { without, type JsonObject } from '../../src/base/json/json-value.ts';
import type { FakeApiServer, ServedKind } from '../cluster/client/fake-api-server.ts';

/** A row of test/fixtures/failing/broken-workloads.yaml. */
interface Row {
  readonly what: string;
  readonly kind?: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'CronJob' | 'Pod';
  /** Members of the workload beside its template. */
  readonly workload?: { readonly spec?: JsonObject; readonly status?: JsonObject };
  readonly pods?: 0;
  readonly spec?: JsonObject;
  readonly phase?: string;
  readonly podStatus?: JsonObject;
  readonly node?: null;
  readonly conditions?: readonly JsonObject[];
  /** The status of the container `app`; null = the kubelet has written none. */
  readonly container?: JsonObject | null;
  readonly init?: JsonObject;
  readonly others?: readonly JsonObject[];
  readonly deleted?: true;
  /** The status of the container in a Pod that is a minute younger. */
  readonly replacedBy?: JsonObject;
  readonly events?: readonly JsonObject[];
  /** How old all objects are, in seconds. */
  readonly age?: number;
}
export interface BrokenRow extends Row {
  readonly cause: string;
  /** A part of what the kubelet, the scheduler or the controller says. */
  readonly words?: string;
}

/** All rows, with the instants before `now`. */
export function brokenWorkloads(now: number): {
  readonly broken: readonly BrokenRow[];
  readonly healthy: readonly Row[];
} {
  const text = readFileSync('test/fixtures/failing/broken-workloads.yaml', 'utf8');
  const withInstants = JSON.stringify(parse(text)).replaceAll(/"(\d+) s ago"/g, (_, ago: string) =>
    JSON.stringify(instant(now, Number(ago))),
  );
  return JSON.parse(withInstants) as ReturnType<typeof brokenWorkloads>;
}

export function instant(now: number, secondsAgo: number): string {
  return new Date(now - secondsAgo * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

const served = (apiVersion: string, kind: string): ServedKind => ({
  apiVersion,
  kind,
  resource: `${kind.toLowerCase()}s`,
});
export const SERVED: readonly ServedKind[] = [
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].map((kind) => served('apps/v1', kind)),
  ...['Job', 'CronJob'].map((kind) => served('batch/v1', kind)),
  served('v1', 'Pod'),
];

const HASH = '5d9c7b8f4';
export const NAMESPACE = 'apps';
export const nameOf = (index: number): string => `row-${index}`;

/** Puts the workload of a row, its Pods and its events into an API server. */
export function putRow(api: FakeApiServer, row: Row, name: string, now: number): void {
  const { kind = 'Deployment', age = 600, spec = { containers: [{ name: 'app', image: 'app:1' }] } } = row;
  const created = { creationTimestamp: instant(now, age) };
  if (kind !== 'Pod') {
    const { apiVersion, resource } = SERVED.find((one) => one.kind === kind) ?? served('v1', 'Pod');
    const labels = { metadata: { labels: { app: name } }, spec };
    const template = kind === 'CronJob' ? { jobTemplate: { spec: { template: labels } } } : { template: labels };
    api.put(`/apis/${apiVersion}/namespaces/${NAMESPACE}/${resource}`, {
      metadata: { name, ...created, generation: 1 },
      spec: { ...defaults(kind), ...row.workload?.spec, ...template },
      status: row.workload?.status ?? { replicas: 1, currentNumberScheduled: 1 },
    });
  }
  const pod = podName(kind, name);
  const uid = row.pods === 0 ? undefined : putPod(api, row, name, pod, now, age);
  for (const [index, event] of (row.events ?? []).entries()) putEvent(api, event, { name, pod, uid, kind, index });
  const { replacedBy } = row;
  if (replacedBy !== undefined) {
    const running = without(row, 'phase', 'podStatus');
    putPod(api, { ...running, container: replacedBy }, name, `${podName(kind, name)}2`, now, age - 60);
  }
}

const defaults = (kind: string): JsonObject =>
  kind === 'Deployment' || kind === 'StatefulSet' ? { replicas: 1 } : kind === 'Job' ? { parallelism: 1 } : {};

function podName(kind: string, name: string): string {
  if (kind === 'Pod') return name;
  return kind === 'StatefulSet' ? `${name}-0` : kind === 'Deployment' ? `${name}-${HASH}-a` : `${name}-a`;
}

function putPod(api: FakeApiServer, row: Row, name: string, pod: string, now: number, age: number): string | undefined {
  const { kind = 'Deployment', spec = { containers: [{ name: 'app', image: 'app:1' }] } } = row;
  const owner =
    kind === 'Deployment'
      ? { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-${HASH}` }
      : { apiVersion: SERVED.find((one) => one.kind === kind)?.apiVersion ?? '', kind, name };
  const own = {
    labels: { app: name, ...(kind === 'Deployment' && { 'pod-template-hash': HASH }) },
    ...(kind !== 'Pod' && { ownerReferences: [{ ...owner, uid: 'o', controller: true }] }),
  };
  return api.put(`/api/v1/namespaces/${NAMESPACE}/pods`, {
    metadata: {
      name: pod,
      creationTimestamp: instant(now, age),
      ...own,
      ...(row.deleted && { deletionTimestamp: instant(now, 10), deletionGracePeriodSeconds: 30 }),
    },
    spec: { ...(row.node !== null && { nodeName: 'node-1' }), ...spec },
    status: { phase: row.phase ?? 'Running', conditions: conditionsOf(row, now, age), ...statusesOf(row) },
  }).metadata.uid;
}

/** As the kubelet writes them, where the row says nothing else. */
function conditionsOf({ node, conditions = [], container }: Row, now: number, age: number): JsonObject[] {
  const isReady = container?.['ready'] === true;
  const given = new Set(conditions.map((one) => one['type']));
  if (node === null) return [...conditions];
  const own = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'ContainersReady', status: isReady ? 'True' : 'False' },
    { type: 'Ready', status: isReady ? 'True' : 'False', reason: 'ContainersNotReady' },
  ];
  const written = own.map((one) => ({ ...one, lastTransitionTime: instant(now, age) }));
  return [...conditions, ...written.filter(({ type }) => !given.has(type))];
}

function statusesOf({ container, init, others = [], podStatus }: Row): JsonObject {
  const whole = (given: JsonObject): JsonObject => ({
    name: 'app',
    ready: false,
    started: false,
    restartCount: 0,
    ...given,
  });
  return {
    ...podStatus,
    ...(init && { initContainerStatuses: [whole(init)] }),
    ...(container && { containerStatuses: [container, ...others].map(whole) }),
  };
}

interface EventPlace {
  readonly name: string;
  readonly pod: string;
  readonly uid: string | undefined;
  readonly kind: string;
  readonly index: number;
}

function putEvent(api: FakeApiServer, event: JsonObject, { name, pod, uid, kind, index }: EventPlace): void {
  const { about, container, isInit, from, at, type = 'Warning', ...own } = event;
  const list = isInit === true ? 'initContainers' : 'containers';
  const ofPod = { kind: 'Pod', name: pod, uid };
  const ofWorkload = about === 'ReplicaSet' ? { kind: 'ReplicaSet', name: `${name}-${HASH}` } : { kind, name };
  api.put(`/api/v1/namespaces/${NAMESPACE}/events`, {
    metadata: { name: `${name}-${index}` },
    type,
    ...own,
    involvedObject: {
      namespace: NAMESPACE,
      ...(about === undefined ? ofPod : ofWorkload),
      ...(typeof container === 'string' && { fieldPath: `spec.${list}{${container}}` }),
    },
    firstTimestamp: from ?? at,
    lastTimestamp: at,
    count: from === undefined ? 1 : 9,
  });
}
