import { Counter, Gauge } from 'prom-client';
import { ApiError, hasCode } from '../../cluster/client/api-error.ts';
import { isRecord } from '../../cluster/client/kubernetes-object.ts';
import { RepeatedWork } from '../../cluster/client/repeated-work.ts';
import { CurrentProblem } from '../../base/text/current-problem.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { discoverKinds, rootOf } from '../../cluster/sources/cluster-kinds.ts';
import { PendingStarts } from './pending-starts.ts';
import { ProfileWriter, WRITE_MILLISECONDS } from './profile-writer.ts';
import { StartInference } from './start-inference.ts';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { ObserverPart } from '../observer-part.ts';
import type { PodWatch } from '../pod-watch.ts';
import type { PendingWorkload } from './pending-starts.ts';
import type { WriteResult } from './profile-writer.ts';

/** The dependencies of the part. */
export interface StartsDependencies {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
  readonly podWatch: Pick<PodWatch, 'listen'>;
  /** The kinds of workloads, which profiles belong to. */
  readonly kinds: readonly WorkloadKind[];
  /** How often to look for profiles to write. */
  readonly roundMilliseconds?: number;
}

const ROUND_MILLISECONDS = 10_000;
/** Two to four requests each, one after the other: at most 20 requests a second. */
const MOST_WRITES_A_ROUND = 50;
/** The answers of an API server that takes no request now. */
const AWAY: readonly number[] = [401, 408, 429, 502, 503, 504];
/** A replica that does not lead forgets starts that the leader has had three turns to write. */
const FORGOTTEN_MILLISECONDS = 3 * WRITE_MILLISECONDS;

/** Learns how long containers take to start, and writes StartupProfiles while this replica leads. */
export class StartsPart implements ObserverPart {
  readonly #client: ApiClient;
  readonly #dependencies: StartsDependencies;
  readonly #pending = new PendingStarts();
  readonly #inference: StartInference;
  readonly #writer: ProfileWriter;
  readonly #work: RepeatedWork;
  readonly #problem = new CurrentProblem();
  #kinds: Promise<readonly ClusterKind[]> | undefined;
  #term: AbortController | undefined;
  #starts: Counter<'result'> | undefined;
  #writes: Counter<'result'> | undefined;

  constructor(client: ApiClient, dependencies: StartsDependencies) {
    const { now, random, podWatch, roundMilliseconds = ROUND_MILLISECONDS } = dependencies;
    this.#client = client;
    this.#dependencies = dependencies;
    this.#inference = new StartInference({
      measured: (start) => {
        this.#starts?.inc({ result: 'measured' });
        this.#pending.measured(start, now());
      },
      killed: (start) => {
        this.#starts?.inc({ result: 'killed' });
        this.#pending.killed(start, now());
      },
    });
    this.#writer = new ProfileWriter(client, this.#pending, (namespace, workload) => this.#find(namespace, workload));
    this.#work = new RepeatedWork(() => this.#round(), roundMilliseconds, random);
    podWatch.listen({
      listing: () => {
        this.#inference.listing();
      },
      seen: (pod, receivedAt) => {
        this.#inference.seen(pod as unknown as JsonObject, receivedAt);
      },
      gone: (pod) => {
        this.#inference.gone(pod as unknown as JsonObject);
      },
      listed: () => {
        this.#inference.listed();
      },
    });
  }

  start(): void {
    this.#work.start();
  }

  stop(): void {
    this.lead(false);
    this.#work.stop();
  }

  lead(isLeader: boolean): void {
    if (isLeader === (this.#term !== undefined)) return;
    this.#term?.abort();
    this.#term = isLeader ? new AbortController() : undefined;
  }

  registerMetrics(registers: Registry[]): void {
    this.#starts = new Counter({
      name: 'probewright_observed_starts_total',
      help: 'Starts of containers that this observer has seen, by result: measured, or killed by a probe while starting.',
      labelNames: ['result'],
      registers,
    });
    this.#writes = new Counter({
      name: 'probewright_startup_profile_writes_total',
      help: 'Attempts to write a StartupProfile, by result: written, unchanged, conflict, gone or failed.',
      labelNames: ['result'],
      registers,
    });
    const inference = this.#inference;
    new Gauge({
      name: 'probewright_starting_pods',
      help: 'Pods with containers that are starting now.',
      registers,
      collect() {
        this.set(inference.size);
      },
    });
  }

  readonly details = (): Readonly<Record<string, unknown>> => ({
    starts: { starting: this.#inference.size, workloadsToWrite: this.#pending.size },
  });

  async #round(): Promise<boolean> {
    const { now, log } = this.#dependencies;
    this.#inference.settle(now());
    const term = this.#term;
    if (term === undefined) {
      this.#pending.expire(now() - FORGOTTEN_MILLISECONDS);
      return true;
    }
    const isOver = (): boolean => term.signal.aborted;
    let problem: string | undefined;
    let isAway = false;
    for (const pending of inTurns(this.#writer.due(now())).slice(0, MOST_WRITES_A_ROUND)) {
      if (isOver()) return true;
      try {
        this.#count(await this.#writer.write(pending, now(), term.signal));
      } catch (error) {
        if (isOver()) return true;
        this.#count('failed');
        this.#kinds = undefined;
        problem = messageOf(error);
        // Any other failure may be the workload's own, so the others are written.
        isAway = !(error instanceof ApiError) || AWAY.includes(error.code);
        if (isAway) break;
      }
    }
    const news = this.#problem.note(problem);
    if (news === 'ended') log.info('startup profiles can be written again');
    else if (news === 'began') log.warn({ problem }, 'startup profiles cannot be written now');
    return !isAway;
  }

  #count(result: WriteResult): void {
    this.#writes?.inc({ result });
  }

  /** The workload as the API server has it; undefined when there is none, or when its kind is not known. */
  async #find(namespace: string, { apiVersion, kind, name }: WorkloadReference): Promise<JsonObject | undefined> {
    this.#kinds ??= discoverKinds(this.#client, this.#dependencies.kinds).then(({ kinds }) => kinds);
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const known = (await this.#kinds).find((one) => one.kind === kind && one.group === group);
    if (known === undefined) return undefined;
    const place = `namespaces/${encodeURIComponent(namespace)}/${known.resource}/${encodeURIComponent(name)}`;
    try {
      const object = await this.#client.request({ method: 'GET', path: `${rootOf(known.apiVersion)}/${place}` });
      return isRecord(object) ? object : undefined;
    } catch (error) {
      // A kind that the observer may not read has no profiles.
      if (hasCode(error, 404) || hasCode(error, 403)) return undefined;
      throw error;
    }
  }
}

/** Workloads in turns of their namespaces, so that a namespace with thousands of workloads delays no other. */
function inTurns(workloads: readonly PendingWorkload[]): readonly PendingWorkload[] {
  const turns = new Map<string, number>();
  const placed = workloads.map((workload) => {
    const turn = turns.get(workload.namespace) ?? 0;
    turns.set(workload.namespace, turn + 1);
    return { workload, turn };
  });
  return placed.sort((one, other) => one.turn - other.turn).map(({ workload }) => workload);
}
