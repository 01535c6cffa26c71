import { setTimeout as sleep } from 'node:timers/promises';
import { objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { simulatePod } from './simulated-pod.ts';
import type { PodHistory } from './status-history.ts';
import type { PodTruth } from './truth.ts';

/** The one thing that a player needs of a control plane. */
export interface StatusServer {
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly body: string }>;
}

/** How to play a history. */
export interface Playing {
  /** Times are those of the truth: a minute lasts a minute. Else all is written at once, in order, with the times of the truth inside. */
  readonly inRealTime?: boolean;
}

/**
 * Plays the scheduler and the kubelet for a Pod that a real API server has: simulates it by this truth, and writes the statuses and events.
 *
 * @param pod as the API server has it
 */
export async function playPod(
  server: StatusServer,
  pod: JsonObject,
  truth: Omit<PodTruth, 'pod' | 'createdAt'> & { readonly createdAt?: number },
  random: () => number,
  playing: Playing = {},
): Promise<PodHistory> {
  const created = Date.parse(stringMember(objectMember(pod, 'metadata') ?? {}, 'creationTimestamp') ?? '');
  const history = simulatePod({ createdAt: playing.inRealTime ? Date.now() : created, ...truth, pod }, random);
  await playHistory(server, history, playing);
  return history;
}

/** Writes what happened to the API server: the binding, each status, each event. */
export async function playHistory(server: StatusServer, history: PodHistory, playing: Playing = {}): Promise<void> {
  const { pod, node = 'node-1' } = history.truth;
  const { name, namespace } = objectMember(pod, 'metadata') ?? {};
  const path = `/api/v1/namespaces/${String(namespace)}/pods/${String(name)}`;
  const events = `/api/v1/namespaces/${String(namespace)}/events`;
  const steps = [
    ...history.writes.map(({ at, manager, status }) => ({
      at,
      run: () =>
        manager === 'kube-scheduler' ? bind(server, path, String(name), node) : patch(server, path, manager, status),
    })),
    ...history.events.map(({ at, event }) => ({ at, run: () => writeEvent(server, events, event) })),
  ].sort((one, other) => one.at - other.at);
  for (const { at, run } of steps) {
    if (playing.inRealTime) await sleep(Math.max(0, at - Date.now()));
    await run();
  }
}

/** An Event of the same name may be there from a story that was played before. */
async function writeEvent(server: StatusServer, path: string, event: JsonObject): Promise<void> {
  const created = await server.request('POST', path, event);
  if (created.status !== CONFLICT) return expectDone(created);
  const name = String(objectMember(event, 'metadata')?.['name']);
  expectDone(await server.request('PUT', `${path}/${name}`, event));
}

async function bind(server: StatusServer, path: string, name: string, node: string): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
  const bound = await server.request('POST', `${path}/binding`, binding);
  // Bound already, by a story that was played before.
  if (bound.status !== CONFLICT) expectDone(bound);
}

async function patch(server: StatusServer, path: string, manager: string, status: JsonObject): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  expectDone(await server.request('PATCH', `${path}/status?fieldManager=${manager}`, { status }, headers));
}

const CONFLICT = 409;

function expectDone({ status, body }: { readonly status: number; readonly body: string }): void {
  if (status >= 300) throw new Error(`${status}: ${body}`);
}
