import { objectPath } from '../../cluster/client/api-path.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { Counter } from 'prom-client';
import { hasCode, isUnavailable } from '../../cluster/client/api-client.ts';
import { RateLimiter } from '../../cluster/client/rate-limiter.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { Reconciler, type Setback, type Task } from '../../cluster/reconcile.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { discoverKinds } from '../../cluster/sources/discovery.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import { gauge } from '../gauges.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { PendingStarts } from './pending-starts.ts';
import { ProfileWriter, WRITE_MILLISECONDS } from './profile-writer.ts';
import { StartInference } from './start-inference.ts';
import { StoppedStarts } from './stopped-starts.ts';
import type { WorkloadReference } from '../../engine/workload/workload-of-pod.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

type StartsContext = Pick<
  ObserverContext,
  'client' | 'failing' | 'kinds' | 'log' | 'monotonic' | 'now' | 'podWatch' | 'random' | 'registers'
>;

/** A profile that may have to be written. The namespace is its lane. */
interface ProfileTask extends Task {
  readonly lane: string;
}

const ROUND_MILLISECONDS = 10_000;
/** Two to four requests each, one after the other: at most 20 requests a second. */
const WRITES_PER_SECOND = 5;
/** While a group of the API server does not answer. */
const KINDS_MILLISECONDS = 60_000;
/** The pauses while the API server is away. */
const PAUSES = { minimum: 1_000, maximum: 10_000 };
/** A replica that does not lead forgets starts that the leader has had three turns to write. */
const FORGOTTEN_MILLISECONDS = 3 * WRITE_MILLISECONDS;

/** Learns how long containers take to start, and writes StartupProfiles while this replica leads. */
export class StartsPart implements ObserverPart {
  readonly #context: StartsContext;
  readonly #pending = new PendingStarts();
  readonly #stopped = new StoppedStarts();
  readonly #inference: StartInference;
  readonly #writer: ProfileWriter;
  readonly #work: RepeatedWork;
  readonly #queue: Reconciler<ProfileTask>;
  readonly #problem = new CurrentProblem();
  /** The last failure since the last round. */
  #failure: string | undefined;
  #kinds: Promise<readonly ClusterKind[]> | undefined;
  #kindsUntil = Infinity;
  #isLeader = false;
  readonly #writes: Counter<'result'>;

  /** @param roundMilliseconds how often to look for profiles to write */
  constructor(context: StartsContext, roundMilliseconds = ROUND_MILLISECONDS) {
    const { client, monotonic, now, random, podWatch, registers } = context;
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
      if (start.sample === undefined) this.#stopped.add(start, now());
      else this.#pending.add(start, now());
    });
    this.#writer = new ProfileWriter(client, this.#pending, (namespace, workload) => this.#find(namespace, workload));
    this.#queue = new Reconciler<ProfileTask>({
      write: (task, signal) => this.#write(task, signal),
      failed: (_, error) => this.#failed(error),
      pauses: { all: PAUSES, lane: PAUSES },
      pace: new RateLimiter(WRITES_PER_SECOND, monotonic),
      random,
    });
    this.#work = new RepeatedWork(() => Promise.resolve(this.#round()), roundMilliseconds, random);
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
    this.#isLeader = isLeader;
    this.#queue.setActive(isLeader);
  }

  readonly details = (): Readonly<Record<string, unknown>> => ({
    starts: { starting: this.#inference.size, workloadsToWrite: this.#pending.size },
  });

  #round(): boolean {
    const now = this.#context.now();
    this.#inference.reportDue(now);
    for (const [start, seenAt] of this.#stopped.takeDue(now))
      if (!this.#context.failing.hasAnsweredWrongly(start)) this.#pending.add(start, seenAt);
    if (!this.#isLeader) this.#pending.expire(now - FORGOTTEN_MILLISECONDS);
    else if (this.#failure !== undefined || this.#queue.size === 0) this.#report();
    for (const { key, namespace: lane } of this.#isLeader ? this.#writer.due(now) : []) this.#queue.put({ key, lane });
    return true;
  }

  #report(): void {
    const { log } = this.#context;
    const problem = this.#failure;
    this.#failure = undefined;
    const news = this.#problem.note(problem);
    if (news === 'ended') log.info('startup profiles can be written again');
    else if (news === 'began') log.warn({ problem }, 'startup profiles cannot be written now');
  }

  async #write({ key, lane }: ProfileTask, signal: AbortSignal): Promise<void> {
    const pending = this.#pending.find(lane, key);
    if (pending === undefined) return;
    const result = await this.#writer.write(pending, this.#context.now(), signal);
    this.#writes.inc({ result });
  }

  #failed(error: unknown): Setback {
    this.#writes.inc({ result: 'failed' });
    this.#kinds = undefined;
    this.#failure = messageOf(error);
    // Any other failure may be the workload's own, which is due again later.
    return isUnavailable(error) ? { pauses: 'all', isForLater: true } : { pauses: 'nobody', isForLater: false };
  }

  /** The workload as the API server has it; undefined when there is none, or when its kind is not known. */
  async #find(namespace: string, { apiVersion, kind, name }: WorkloadReference): Promise<JsonObject | undefined> {
    const { client, kinds: wanted, monotonic } = this.#context;
    if (monotonic() >= this.#kindsUntil) this.#kinds = undefined;
    this.#kinds ??= discoverKinds(client, wanted).then(({ kinds, problems }) => {
      // A group that did not answer is asked again.
      this.#kindsUntil = problems.length > 0 ? monotonic() + KINDS_MILLISECONDS : Infinity;
      return kinds;
    });
    const known = (await this.#kinds).find((one) => one.kind === kind && one.group === groupOfVersion(apiVersion));
    if (known === undefined) return undefined;
    const path = objectPath(known, { namespace, name });
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
