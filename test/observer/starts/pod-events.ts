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
