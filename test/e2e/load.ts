import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from './processes.ts';
import { send } from './http-requests.ts';
import { hasThreeProbes, pod, untilProbePath } from './pods.ts';
import { readable } from './scenario-figure.ts';
import { slowdownNow } from '../support/slowdown.ts';
import { policyDocument } from '../support/worlds.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Cluster } from './cluster.ts';

/** What to send. */
export interface LoadOptions {
  /** A namespace whose Pods all get three probes. */
  readonly namespace: string;
  /** Creates a second, all clients together, on a machine that is not slowed down. Default 50. */
  readonly perSecond?: number;
  /** Each has connections of its own. Default 4. */
  readonly clients?: number;
}

/** A create that was not answered with a Pod. */
export interface FailedCall {
  /** On the wall clock, in milliseconds. */
  readonly at: number;
  /** Absent when no answer came at all. */
  readonly status?: number;
  readonly message: string;
}

/** What came of it. */
export interface LoadResult {
  readonly calls: number;
  readonly failures: readonly FailedCall[];
  /** Names of Pods that were created without all three probes. */
  readonly unpatched: readonly string[];
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly seconds: number;
  /** Calls that were sent, for each that was due. Well below 1, the load was none. */
  readonly keptPace: number;
}

/** Calls that go on until somebody stops them. */
export interface Load {
  /** Sends nothing more, waits for the answers that are still to come and for the Pods to be gone. */
  stop(): Promise<LoadResult>;
}

const deleteInterval = 2000;
/** A load that is slower still would show nothing. */
const MOST_SLOWDOWN = 4;

/**
 * Creates Pods through the API server at a steady pace, however long the answers take: a client that waited for each
 * answer would call less just when calls go wrong. The Pods are deleted on the way, or etcd would fill up.
 */
export function startLoad(cluster: ControlPlane, options: LoadOptions): Load {
  const { namespace, clients = 4 } = options;
  const perSecond = (options.perSecond ?? 50) / Math.min(slowdownNow(), MOST_SLOWDOWN);
  const record = { calls: 0, failures: [] as FailedCall[], unpatched: [] as string[], latencies: [] as number[] };
  const started = performance.now();
  const stopping = new AbortController();
  const { signal } = stopping;
  const senders = Array.from({ length: clients }, async (_, client) => {
    const agent = new Agent({ ca: cluster.access.caPem, keepAlive: true });
    const pending = new Set<Promise<void>>();
    const interval = (1000 * clients) / perSecond;
    for (let next = started + (client * interval) / clients, count = 0; !signal.aborted; next += interval, count += 1) {
      await sleep(Math.max(0, next - performance.now()));
      const name = `load-${Math.round(started)}-${client}-${count}`;
      const call = createPod(cluster, agent, namespace, name, record).finally(() => pending.delete(call));
      pending.add(call);
    }
    await Promise.all(pending);
    agent.destroy();
  });
  const sweeper = sweep(cluster, namespace, signal);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(senders);
      const seconds = (performance.now() - started) / 1000;
      await sweeper;
      const latencies = record.latencies.toSorted((a, b) => a - b);
      const { calls, failures, unpatched } = record;
      return {
        ...{ calls, failures, unpatched, seconds, keptPace: calls / seconds / perSecond },
        ...{ p50: percentile(latencies, 50), p99: percentile(latencies, 99) },
      };
    },
  };
}

/** The result as one line. */
export function loadFigure(result: LoadResult): string {
  const { calls, seconds, failures, unpatched, p50, p99 } = result;
  return `${calls} creates in ${Math.round(seconds)} s, ${failures.length} failed, ${unpatched.length} unpatched, p50 ${readable(p50)}, p99 ${readable(p99)}`;
}

interface LoadRecord {
  calls: number;
  readonly failures: FailedCall[];
  readonly unpatched: string[];
  readonly latencies: number[];
}

async function createPod(
  cluster: ControlPlane,
  agent: Agent,
  namespace: string,
  name: string,
  record: LoadRecord,
): Promise<void> {
  record.calls += 1;
  const sent = performance.now();
  try {
    const url = `${cluster.server}/api/v1/namespaces/${namespace}/pods`;
    const headers = { authorization: `Bearer ${cluster.access.token}`, 'content-type': 'application/json' };
    const options = { method: 'POST', agent, headers, timeout: 40_000 };
    const { status, body } = await send(url, options, JSON.stringify(pod(name, namespace)));
    record.latencies.push(performance.now() - sent);
    if (status !== 201) record.failures.push({ at: Date.now(), status, message: body.slice(0, 400) });
    else if (!hasThreeProbes(JSON.parse(body))) record.unpatched.push(name);
  } catch (error) {
    record.failures.push({ at: Date.now(), message: String(error) });
  }
}

async function sweep(cluster: ControlPlane, namespace: string, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  while (!signal.aborted) {
    await sleep(deleteInterval, undefined, { signal }).catch(() => undefined);
    await cluster.request('DELETE', `${path}?gracePeriodSeconds=0`).catch(() => undefined);
  }
  await waitUntil('the Pods are gone', async () => {
    await cluster.request('DELETE', `${path}?gracePeriodSeconds=0`);
    return (await cluster.read<{ items: unknown[] }>(`${path}?limit=1`)).items.length === 0;
  });
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

/** Where the load client's Pods go. */
export const loadNamespace = 'load';

const endpoints = { startupProbe: '/load', livenessProbe: '/load', readinessProbe: '/load' };
const policy = policyDocument({ containers: ['app'], kubernetesProbeEndpoints: endpoints }, 'load', loadNamespace);

/** Makes sure that the namespace and its policy are there, and that the policy counts. */
export async function prepareLoad(cluster: Cluster): Promise<void> {
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: loadNamespace } }, policy);
  await untilProbePath(cluster, loadNamespace, 'livenessProbe', '/load');
}
