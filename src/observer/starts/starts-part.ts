import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { Counter } from 'prom-client';
import { hasCode, isUnavailable } from '../../cluster/client/api-client.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { discoverKinds, type ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import { gauge } from '../gauges.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { collectionOf } from '../observed-workload.ts';
import { PendingStarts, type PendingWorkload } from './pending-starts.ts';
import { ProfileWriter, WRITE_MILLISECONDS } from './profile-writer.ts';
import { StartInference } from './start-inference.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

type StartsContext = Pick<ObserverContext, 'client' | 'kinds' | 'log' | 'now' | 'podWatch' | 'random' | 'registers'>;

const ROUND_MILLISECONDS = 10_000;
/** Two to four requests each, one after the other: at most 20 requests a second. */
const MOST_WRITES_A_ROUND = 50;
/** A replica that does not lead forgets starts that the leader has had three turns to write. */
const FORGOTTEN_MILLISECONDS = 3 * WRITE_MILLISECONDS;

/** Learns how long containers take to start, and writes StartupProfiles while this replica leads. */
export class StartsPart implements ObserverPart {
  readonly #context: StartsContext;
  readonly #pending = new PendingStarts();
  readonly #inference: StartInference;
  readonly #writer: ProfileWriter;
  readonly #work: RepeatedWork;
  readonly #problem = new CurrentProblem();
  #kinds: Promise<readonly ClusterKind[]> | undefined;
  #term: AbortController | undefined;
  readonly #writes: Counter<'result'>;

  /** @param roundMilliseconds how often to look for profiles to write */
  constructor(context: StartsContext, roundMilliseconds = ROUND_MILLISECONDS) {
    const { client, now, random, podWatch, registers } = context;
    this.#context = context;
    const starts = new Counter({
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
    const starting = 'Pods with containers that are starting now.';
    gauge('probewright_starting_pods', starting, registers, () => this.#inference.size);
    this.#inference = new StartInference((start) => {
      starts.inc({ result: start.sample === undefined ? 'killed' : 'measured' });
      this.#pending.add(start, now());
    });
    this.#writer = new ProfileWriter(client, this.#pending, (namespace, workload) => this.#find(namespace, workload));
    this.#work = new RepeatedWork(() => this.#round(), roundMilliseconds, random);
    podWatch.listen({
      listing: () => this.#inference.listing(),
      seen: (pod, receivedAt) => this.#inference.seen(pod as unknown as JsonObject, receivedAt),
      gone: (pod) => this.#inference.gone(pod as unknown as JsonObject),
      listed: (uids) => this.#inference.listed(uids),
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

  readonly details = (): Readonly<Record<string, unknown>> => ({
    starts: { starting: this.#inference.size, workloadsToWrite: this.#pending.size },
  });

  async #round(): Promise<boolean> {
    const { now, log } = this.#context;
    this.#inference.reportDue(now());
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
        this.#writes.inc({ result: await this.#writer.write(pending, now(), term.signal) });
      } catch (error) {
        if (isOver()) return true;
        this.#writes.inc({ result: 'failed' });
        this.#kinds = undefined;
        problem = messageOf(error);
        // Any other failure may be the workload's own, so the others are written.
        isAway = isUnavailable(error);
        if (isAway) break;
      }
    }
    const news = this.#problem.note(problem);
    if (news === 'ended') log.info('startup profiles can be written again');
    else if (news === 'began') log.warn({ problem }, 'startup profiles cannot be written now');
    return !isAway;
  }

  /** The workload as the API server has it; undefined when there is none, or when its kind is not known. */
  async #find(namespace: string, { apiVersion, kind, name }: WorkloadReference): Promise<JsonObject | undefined> {
    this.#kinds ??= discoverKinds(this.#context.client, this.#context.kinds).then(({ kinds }) => kinds);
    const known = (await this.#kinds).find((one) => one.kind === kind && one.group === groupOfVersion(apiVersion));
    if (known === undefined) return undefined;
    const path = `${collectionOf({ served: known }, namespace)}/${encodeURIComponent(name)}`;
    try {
      const object = await this.#context.client.request({ method: 'GET', path });
      return isJsonObject(object) ? object : undefined;
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
