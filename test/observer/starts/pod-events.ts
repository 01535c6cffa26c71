import { expect } from 'vitest';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** The first second of all scripts. */
export const BEGIN = Date.parse('2026-11-20T10:00:00Z');

/** The instant of a second of the script, as the API has it. */
export const at = (second: number): string =>
  new Date(BEGIN + Math.floor(second) * 1000).toISOString().replace('.000', '');

/** Milliseconds since the epoch of a second of the script. */
export const ms = (second: number): number => BEGIN + second * 1000;

/** What the status says of one container. */
export interface Said {
  readonly name?: string;
  readonly id?: string;
  readonly startedAt?: number;
  readonly started?: boolean;
  readonly ready?: boolean;
  readonly restarts?: number;
  /** The end of the container before. */
  readonly ended?: { readonly id: string; readonly from: number; readonly until: number; readonly reason?: string };
}

function status({
  name = 'app',
  id,
  startedAt,
  started = false,
  ready = false,
  restarts = 0,
  ended,
}: Said): JsonObject {
  return {
    name,
    ready,
    started,
    restartCount: restarts,
    ...(id !== undefined && { containerID: `containerd://${id}` }),
    state:
      startedAt === undefined
        ? { waiting: { reason: 'ContainerCreating' } }
        : { running: { startedAt: at(startedAt) } },
    lastState:
      ended === undefined
        ? {}
        : {
            terminated: {
              containerID: `containerd://${ended.id}`,
              startedAt: at(ended.from),
              finishedAt: at(ended.until),
              reason: ended.reason ?? 'Error',
              exitCode: 137,
            },
          },
  };
}

/** A Pod of the Deployment web, with these containers, statuses and the instant of the condition ContainersReady. */
export function podSaid(
  containers: readonly JsonObject[],
  said: readonly Said[],
  ready?: { readonly isTrue: boolean; readonly since: number },
  metadata: JsonObject = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-5d9c-x',
      namespace: 'apps',
      uid: 'pod-1',
      creationTimestamp: at(0),
      labels: { 'pod-template-hash': '5d9c' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c', uid: 'rs', controller: true }],
      ...metadata,
    },
    spec: { nodeName: 'node-1', containers },
    status: {
      containerStatuses: said.map(status),
      conditions:
        ready === undefined
          ? []
          : [
              { type: 'Ready', status: 'False', lastTransitionTime: at(0) },
              { type: 'ContainersReady', status: ready.isTrue ? 'True' : 'False', lastTransitionTime: at(ready.since) },
            ],
    },
  };
}

/** The UIDs of Pods, as a list of all Pods tells them. */
export function uidsOf(...pods: readonly (JsonObject | undefined)[]): ReadonlySet<string> {
  return new Set(pods.flatMap((pod) => String((pod?.['metadata'] as JsonObject | undefined)?.['uid'])));
}

const httpGet = { path: '/healthz', port: 8080 };
/** The containers that cases name. */
export const CONTAINERS = {
  startup: { name: 'app', image: 'r/app:1', startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 5 } },
  readiness: { name: 'app', image: 'r/app:1', readinessProbe: { httpGet, periodSeconds: 5 } },
  neither: { name: 'app', image: 'r/app:1', livenessProbe: { httpGet } },
  both: {
    name: 'app',
    image: 'r/app:1',
    startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 5 },
    readinessProbe: { httpGet, periodSeconds: 5 },
  },
} as const;

interface StartCase {
  /** `startup` unless given. */
  readonly containers?: readonly (keyof typeof CONTAINERS | JsonObject)[];
  readonly initContainers?: readonly JsonObject[];
  /** In their order; lists within the list are spread. `listing` and `listed` begin and end a list of all Pods. */
  readonly events: readonly unknown[];
}

/** What a watch brings at a second. */
interface EventCase {
  readonly at: number;
  /** Its name and UID, and the image of its containers. */
  readonly pod?: string;
  readonly node?: string;
  readonly containers?: StartCase['containers'];
  readonly said: readonly Said[];
  readonly initSaid?: readonly Said[];
  /** Since when ContainersReady is true, or false; false since 1 unless given. */
  readonly ready?: number;
  readonly unready?: number;
  /** The second at which the Pod was deleted, or all of its containers restarted. */
  readonly deleted?: number;
  readonly restartsAll?: number;
  readonly everySecondUntil?: number;
}

function podOf(given: StartCase, event: EventCase): JsonObject {
  const { pod, node = 'node-1', said, initSaid = [], ready, unready, deleted, restartsAll } = event;
  const specs = (event.containers ?? given.containers ?? ['startup']).map((one) => ({
    ...(typeof one === 'string' ? CONTAINERS[one] : one),
    ...(pod !== undefined && { image: pod }),
  }));
  const made = podSaid(
    specs,
    said,
    { isTrue: ready !== undefined, since: ready ?? unready ?? 1 },
    {
      ...(pod !== undefined && { uid: pod, name: pod }),
      ...(deleted !== undefined && { deletionTimestamp: at(deleted) }),
    },
  );
  const all = { type: 'AllContainersRestarting', status: 'True', lastTransitionTime: at(restartsAll ?? 0) };
  return {
    ...made,
    spec: { nodeName: node, containers: specs, initContainers: given.initContainers ?? [] },
    status: {
      ...(made['status'] as JsonObject),
      initContainerStatuses: initSaid.map(status),
      ...(restartsAll !== undefined && { conditions: [all] }),
    },
  };
}

/** The starts that are learned in a case of test/fixtures/starts, and how many Pods are still kept. */
export function learnedInCase(given: JsonObject): JsonObject {
  const learned: string[] = [];
  const named = (image: string, container: string): string => (image.length < 6 && image !== '' ? image : container);
  const inference = new StartInference((start) => {
    const { namespace, workload, image, container } = start;
    expect([namespace, workload.kind, workload.name]).toEqual(['apps', 'Deployment', 'web']);
    if (start.sample === undefined) {
      learned.push(`${named(image, container)}: killed after ${start.boundSeconds} s`);
      return;
    }
    const { seconds, within, basis, restart } = start.sample;
    learned.push(`${named(image, container)}: ${seconds} s within ${within}, ${basis}${restart ? ', a restart' : ''}`);
  });
  const uids = new Set<string>();
  const steps = (given['events'] as unknown[]).flat().flatMap((event): (EventCase | string)[] => {
    if (typeof event === 'string') return [event];
    const { at: second, everySecondUntil = second } = event as EventCase;
    return Array.from({ length: everySecondUntil - second + 1 }, (_, index) => ({
      ...(event as EventCase),
      at: second + index,
    }));
  });
  // Events that repeat are in the order of the seconds with the others.
  if (!steps.some((step) => typeof step === 'string'))
    steps.sort((one, other) => (one as EventCase).at - (other as EventCase).at);
  for (const step of steps) {
    if (step === 'listing') inference.listing();
    else if (step === 'listed') inference.listed(uids);
    else {
      const pod = podOf(given as unknown as StartCase, step as EventCase);
      for (const uid of uidsOf(pod)) uids.add(uid);
      inference.seen(pod, ms((step as EventCase).at));
    }
  }
  inference.reportDue(Infinity);
  return { learned: learned.sort(), kept: inference.size > 0 ? inference.size : undefined };
}
