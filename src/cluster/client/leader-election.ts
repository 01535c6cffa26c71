import { collectionPath } from './api-path.ts';
import { textAt } from '../../base/json/field-path.ts';
import { objectMember } from '../../base/json/json-value.ts';
import { hasCode, unlessMissing, type ApiClient, type ApiRequest } from './api-client.ts';
import { isKubernetesObject, type ObjectMetadata } from './kubernetes-object.ts';
import { pause, type ClockAndRandom } from './timing.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';

export interface LeaseCandidate {
  readonly namespace: string;
  readonly lease: string;
  readonly identity: string;
  /** How long a leader counts as leader without a renewal, in milliseconds. */
  readonly durationMilliseconds: number;
  /** How often the leader renews the Lease and the others read it, in milliseconds. */
  readonly retryMilliseconds: number;
}

export interface LeaderListener {
  /** This replica leads, or no longer leads. */
  readonly led: (isLeader: boolean) => void;
  /** The Lease cannot be read or written, or can be again (undefined). Reported once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/** The wall clock is for people who read the Lease; no decision depends on it. */
export interface ElectionDependencies extends ClockAndRandom {
  /** In milliseconds; never goes back. */
  readonly monotonic: () => number;
}

/**
 * Elects one of several replicas by a Lease, as client-go's leaderelection does; client-node has none. A leader
 * counts as silent when this replica has seen no renewal for long enough, so clocks need not agree. For a moment
 * there may be two leaders: the work of a leader must allow for that.
 */
export class LeaderElection {
  readonly #client: ApiClient;
  readonly #candidate: LeaseCandidate;
  readonly #listener: LeaderListener;
  readonly #dependencies: ElectionDependencies;
  readonly #collection: string;
  readonly #path: string;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #leaving: Promise<void> | undefined;
  #isLeader = false;
  /** True also after a write whose result is unknown. */
  #mayHoldLease = false;
  /** When our last renewal was sent, on the monotonic clock. */
  #renewedAt = 0;
  #holder = '';
  #observed = { version: '', at: 0 };
  readonly #problem = new CurrentProblem();

  constructor(
    client: ApiClient,
    candidate: LeaseCandidate,
    listener: LeaderListener,
    dependencies: ElectionDependencies,
  ) {
    this.#client = client;
    this.#candidate = candidate;
    this.#listener = listener;
    this.#dependencies = dependencies;
    const leases = { apiVersion: 'coordination.k8s.io/v1', resource: 'leases' };
    this.#collection = collectionPath(leases, candidate.namespace);
    this.#path = `${this.#collection}/${candidate.lease}`;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** The host name in the Lease: the name of the leader's Pod. Empty when nobody leads. */
  get leaderName(): string {
    return this.#holder.split('_')[0] ?? '';
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Stops leading at once, and releases the Lease: at most two thirds of its duration, without an answer. */
  stop(): Promise<void> {
    return (this.#leaving ??= this.#leave());
  }

  async #leave(): Promise<void> {
    this.#stopped.abort();
    this.#lead(false);
    await this.#running;
    if (this.#mayHoldLease) await this.#release().catch(() => undefined); // the Lease expires by itself
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#attempt();
      await pause(this.#untilNext(), signal);
    }
  }

  async #attempt(): Promise<void> {
    const sentAt = this.#dependencies.monotonic();
    try {
      // Others take over when the Lease has expired, so this replica has to stop leading before that.
      if (this.#timeLeft() <= 0) this.#lead(false);
      const isHeld = await this.#acquireOrRenew();
      if (isHeld) this.#renewedAt = sentAt;
      else this.#mayHoldLease = false;
      this.#lead(isHeld && !this.#stopped.signal.aborted);
      this.#tell(undefined);
    } catch (error) {
      // Another replica was faster, which is no problem. The next attempt shows which one.
      if (!hasCode(error, 409)) this.#tell(messageOf(error));
    }
  }

  /** Milliseconds until the next attempt, or until this replica has to stop leading when that is earlier. */
  #untilNext(): number {
    const retry = this.#candidate.retryMilliseconds * (0.9 + 0.2 * this.#dependencies.random());
    return this.#isLeader ? Math.max(0, Math.min(retry, this.#timeLeft())) : retry;
  }

  #timeLeft(): number {
    const { durationMilliseconds } = this.#candidate;
    return this.#renewedAt + (durationMilliseconds * 2) / 3 - this.#dependencies.monotonic();
  }

  async #acquireOrRenew(): Promise<boolean> {
    const { identity, durationMilliseconds } = this.#candidate;
    const lease = await this.#read(this.#stopped.signal);
    // The first holder of a new Lease is no transition.
    const spec: Spec = lease?.spec ?? { leaseTransitions: -1 };
    this.#holder = textAt(spec, 'holderIdentity') ?? '';
    const isHeld = this.#holder === identity;
    if (!isHeld && this.#holder !== '' && !this.#isSilent(lease?.metadata.resourceVersion ?? '', spec)) return false;
    const now = new Date(this.#dependencies.now()).toISOString().replace('Z', '000Z');
    const transitions = typeof spec['leaseTransitions'] === 'number' ? spec['leaseTransitions'] : 0;
    this.#mayHoldLease = true;
    const renewed = {
      ...spec,
      ...(!isHeld && { acquireTime: now, leaseTransitions: transitions + 1 }),
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMilliseconds / 1000),
      renewTime: now,
    };
    await this.#write(lease?.metadata, renewed, this.#stopped.signal);
    return true;
  }

  /** True when the Lease has not changed for the duration that its holder wrote into it. */
  #isSilent(version: string, spec: Spec): boolean {
    const monotonic = this.#dependencies.monotonic();
    if (version !== this.#observed.version) this.#observed = { version, at: monotonic };
    const seconds = spec['leaseDurationSeconds'];
    const duration = typeof seconds === 'number' ? seconds * 1000 : this.#candidate.durationMilliseconds;
    return monotonic - this.#observed.at >= duration;
  }

  async #release(): Promise<void> {
    const lease = await this.#read();
    if (lease?.spec['holderIdentity'] !== this.#candidate.identity) return;
    await this.#write(lease.metadata, { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 });
  }

  async #read(signal?: AbortSignal): Promise<{ metadata: ObjectMetadata; spec: Spec } | undefined> {
    const object = await unlessMissing(this.#request({ method: 'GET', path: this.#path }, signal));
    if (object === undefined) return undefined;
    if (!isKubernetesObject(object)) throw new Error(`Lease ${this.#candidate.lease} cannot be understood`);
    return { metadata: object.metadata, spec: objectMember({ ...object }, 'spec') ?? {} };
  }

  /**
   * The metadata has the resourceVersion that was read: the write fails when another replica wrote in between.
   * Without metadata there is no Lease yet.
   */
  async #write(known: ObjectMetadata | undefined, spec: Spec, signal?: AbortSignal): Promise<void> {
    const { namespace, lease: name } = this.#candidate;
    const metadata = known ?? { name, namespace };
    const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    const [method, path] = known ? (['PUT', this.#path] as const) : (['POST', this.#collection] as const);
    await this.#request({ method, path, body }, signal);
  }

  /** A renewal that hangs must leave time for another attempt. */
  #request(request: ApiRequest, signal: AbortSignal | undefined): Promise<unknown> {
    const most = this.#candidate.durationMilliseconds / 3;
    const timeoutMilliseconds = this.#isLeader ? Math.max(1, Math.min(most, this.#timeLeft())) : most;
    return this.#client.request({ ...request, timeoutMilliseconds, ...(signal && { signal }) });
  }

  #lead(isLeader: boolean): void {
    if (this.#isLeader === isLeader) return;
    this.#isLeader = isLeader;
    this.#listener.led(isLeader);
  }

  #tell(problem: string | undefined): void {
    if (this.#stopped.signal.aborted) return;
    const news = this.#problem.note(problem);
    if (news === 'began' || news === 'ended') this.#listener.troubled(problem);
  }
}

type Spec = Readonly<Record<string, unknown>>;
