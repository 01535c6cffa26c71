import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/**
 * The recorded batches of `test/fixtures/kubelet`: what a real kubelet 1.36.2 wrote, and what its containers saw.
 * All times `t` are seconds since 1970, on one clock.
 */
export type Batch = 'b1' | 'g1' | 'g2gate' | 'kr1' | 'm3' | 'obs2' | 'same';

/** A Pod that the batch created. Its annotations `lab/app.<container>` hold the container's script. */
export interface RecordedCase {
  readonly pod: JsonObject;
  /** Which claim the case tries, as `never-s` or `deadlock`. */
  readonly tag: string;
  /** How the application fails: `refuse`, `bad` (503) or `hang`. */
  readonly how?: string;
}

/** What a recorded container does in one run. Moments are seconds after the start. */
export interface Script {
  readonly kind?: string;
  /** The answers by path, each from a second on. */
  readonly phases?: Readonly<Record<string, readonly (readonly [second: number, answer: string])[]>>;
  /** The port is open from here on, to `closeAt`, and again from `reopenAt` on. */
  readonly listenAt?: number;
  readonly closeAt?: number;
  readonly reopenAt?: number;
  /** The container crashes. */
  readonly exitAt?: number;
  readonly exitCode?: number;
  readonly termDelay?: number;
  readonly termCode?: number;
  readonly ignoreTerm?: boolean;
}

/** The scripts of a container's runs: the last one is that of all later runs. Empty without a script. */
export function scriptsOf(pod: JsonObject, container: string): readonly Script[] {
  const { annotations } = pod['metadata'] as { readonly annotations?: Readonly<Record<string, string>> };
  const text = annotations?.[`lab/app.${container}`];
  const script = JSON.parse(text ?? 'null') as (Script & { readonly instances?: readonly Script[] }) | null;
  return script?.instances ?? (script === null ? [] : [script]);
}

/** One line of the watch of Pods. Batch `obs2` holds whole Pods in `o`; the other batches hold the four fields after it. */
export interface PodEvent {
  /** When the watch got it. */
  readonly t: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly o?: JsonObject;
  readonly name?: string;
  readonly status?: JsonObject;
  /** The deletionTimestamp. */
  readonly del?: string;
}

/** One line of the watch of Events. */
export interface KubeEvent {
  readonly t: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly o: JsonObject;
}

/** What the container runtime or a container saw, to the microsecond. */
export interface TruthEntry {
  readonly t: number;
  /** `hit` is a probe or a preStop hook that reached the container. */
  readonly ev:
    | 'sandbox'
    | 'start'
    | 'listening'
    | 'hit'
    | 'exec-timeout'
    | 'closed'
    | 'sigterm'
    | 'sigkill'
    | 'exit'
    | 'stop-cancelled';
  readonly pod: string;
  /** The container; missing for a sandbox. */
  readonly ctr?: string;
  /** Counts the container's starts from 0. */
  readonly attempt?: number;
  /** Seconds since this start of the container. */
  readonly age?: number;
  /** hit: the path of an HTTP request, or the argument of a command: `s`, `l`, `r` or `prestop`. */
  readonly path?: string;
  /** hit: what the container did, as `200`, `503` or `hang`. */
  readonly do?: string;
  /** sigterm: the grace period in seconds that the kubelet gave. */
  readonly timeout?: number;
  readonly by?: 'sigterm' | 'sigkill' | 'itself';
}

export interface Recording {
  /** Empty for `obs2`, which has `deployments`. */
  readonly cases: readonly RecordedCase[];
  readonly deployments: readonly { readonly name: string }[];
  readonly pods: readonly PodEvent[];
  readonly events: readonly KubeEvent[];
  readonly truth: readonly TruthEntry[];
  /** When the kubelet stopped and started, in `kr1` and `obs2`. */
  readonly restart?: { readonly stop: number; readonly start: number };
}

/** Reads one batch. Watches are in the order of receipt, the truth in order of time. */
export function recording(batch: Batch): Recording {
  const restart = read(batch, 'restart.json');
  return {
    cases: JSON.parse(read(batch, 'cases.json') ?? '[]') as RecordedCase[],
    deployments: JSON.parse(read(batch, 'deployments.json') ?? '[]') as { name: string }[],
    pods: linesOf(batch, 'pods.jsonl') as PodEvent[],
    events: linesOf(batch, 'events.jsonl') as KubeEvent[],
    truth: (linesOf(batch, 'truth.jsonl') as TruthEntry[]).sort((one, other) => one.t - other.t),
    ...(restart !== undefined && { restart: JSON.parse(restart) as { stop: number; start: number } }),
  };
}

/** Groups entries by the name of their Pod; entries without a name are left out. Each group keeps the order. */
export function byPod<Entry extends PodEvent | KubeEvent | TruthEntry>(
  entries: readonly Entry[],
): ReadonlyMap<string, readonly Entry[]> {
  const groups = Map.groupBy(entries, podName);
  groups.delete('');
  return groups;
}

/** The name of the Pod that an entry is about, or ''. */
export function podName(entry: PodEvent | KubeEvent | TruthEntry): string {
  if ('pod' in entry) return entry.pod;
  const { o, name } = entry as { readonly o?: Named; readonly name?: string };
  return name ?? o?.involvedObject?.name ?? o?.metadata?.name ?? '';
}

interface Named {
  readonly metadata?: { readonly name?: string };
  readonly involvedObject?: { readonly name?: string };
}

function read(batch: Batch, file: string): string | undefined {
  const url = new URL(`../fixtures/kubelet/${batch}/${file}.gz`, import.meta.url);
  return existsSync(url) ? gunzipSync(readFileSync(url)).toString() : undefined;
}

function linesOf(batch: Batch, file: string): unknown[] {
  const lines = (read(batch, file) ?? '').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}
