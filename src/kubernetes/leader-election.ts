import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './api-error.ts';
import { isKubernetesObject, isRecord } from './kubernetes-object.ts';
import type { ApiClient } from './api-client.ts';

/** Whom to elect, and by which Lease. */
export interface Candidate {
  readonly namespace: string;
  /** Name of the coordination.k8s.io/v1 Lease. */
  readonly lease: string;
  /** Unlike every other candidate's. */
  readonly identity: string;
  /** How long a leader that says nothing more is still believed, in milliseconds. */
  readonly durationMilliseconds: number;
  /** How often a leader renews, and the others look. */
  readonly retryMilliseconds: number;
}

/** What an election tells. */
export interface LeaderListener {
  readonly gained: () => void;
  readonly lost: () => void;
  /** The Lease cannot be read or written, or can be again (undefined). Told once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/** The rim that an election works with. */
export interface ElectionSurroundings {
  /** The wall clock, in milliseconds since the epoch: for people who read the Lease, not for decisions. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
}

/**
 * Elects one of several replicas by a Lease, as client-go's leaderelection does; client-node has none. Every write is guarded by the
 * resourceVersion that was read, and whether a leader is silent is judged by how long we saw no renewal, so clocks need not agree.
 * Two leaders for a moment are possible, as with any Lease: what a leader does must bear that.
 */
export class LeaderElection {
  readonly #client: ApiClient;
  readonly #candidate: Candidate;
  readonly #listener: LeaderListener;
  readonly #surroundings: ElectionSurroundings;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #leaving: Promise<void> | undefined;
  #isLeader = false;
  /** Also after a write of which nobody knows whether it arrived. */
  #mayHoldLease = false;
  /** When our last renewal was sent, on the monotonic clock. */
  #renewedAt = 0;
  #observed = { version: '', at: 0 };
  #problem: string | undefined;

  constructor(client: ApiClient, candidate: Candidate, listener: LeaderListener, surroundings: ElectionSurroundings) {
    this.#client = client;
    this.#candidate = candidate;
    this.#listener = listener;
    this.#surroundings = surroundings;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  start(): void {
    this.#running = this.#run();
  }

  /**
   * Stops taking part, and gives the Lease back when it is ours, so that another takes over at once. Not leading is immediate, the rest
   * takes two thirds of the Lease's duration at the most, when the API server does not answer.
   */
  stop(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    this.#stopped.abort();
    this.#resign();
    await this.#running;
    if (this.#mayHoldLease) await this.#release().catch(() => undefined); // it runs out by itself
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#attempt();
      await sleep(this.#pause(), undefined, { signal }).catch(() => undefined);
    }
  }

  async #attempt(): Promise<void> {
    const sentAt = this.#surroundings.monotonic();
    try {
      // Others take over when the Lease has run out, so we must have let go before.
      if (this.#timeLeft() <= 0) this.#resign();
      if (await this.#acquireOrRenew()) {
        this.#renewedAt = sentAt;
        this.#lead();
      } else {
        this.#mayHoldLease = false;
        this.#resign();
      }
      this.#tell(undefined);
    } catch (error) {
      // Another was faster: that is how it should be. The next look says who.
      if (!hasCode(error, 409)) this.#tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** Until the next attempt, or until we have to let go when that comes first. */
  #pause(): number {
    const pause = this.#candidate.retryMilliseconds * (0.9 + 0.2 * this.#surroundings.random());
    return this.#isLeader ? Math.max(0, Math.min(pause, this.#timeLeft())) : pause;
  }

  /** How long we may still believe that we lead, in milliseconds. */
  #timeLeft(): number {
    const { durationMilliseconds } = this.#candidate;
    return this.#renewedAt + (durationMilliseconds * 2) / 3 - this.#surroundings.monotonic();
  }

  /** How long a request may take: a renewal that hangs must not keep us believing, and must leave time for another. */
  #requestMilliseconds(): number {
    const most = this.#candidate.durationMilliseconds / 3;
    return this.#isLeader ? Math.max(1, Math.min(most, this.#timeLeft())) : most;
  }

  /** True when the Lease is ours now. */
  async #acquireOrRenew(): Promise<boolean> {
    const { identity, durationMilliseconds } = this.#candidate;
    const lease = await this.#read();
    const now = new Date(this.#surroundings.now()).toISOString().replace('Z', '000Z');
    const ours = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMilliseconds / 1000),
      renewTime: now,
    };
    if (lease === undefined) {
      await this.#write('POST', {
        metadata: this.#metadata(),
        spec: { ...ours, acquireTime: now, leaseTransitions: 0 },
      });
      return true;
    }
    const { spec } = lease;
    const holder = typeof spec['holderIdentity'] === 'string' ? spec['holderIdentity'] : '';
    if (holder === identity) {
      await this.#write('PUT', { ...lease.object, spec: { ...spec, ...ours } });
      return true;
    }
    if (holder !== '' && !this.#isSilent(lease.resourceVersion, spec)) return false;
    const transitions = typeof spec['leaseTransitions'] === 'number' ? spec['leaseTransitions'] : 0;
    await this.#write('PUT', {
      ...lease.object,
      spec: { ...spec, ...ours, acquireTime: now, leaseTransitions: transitions + 1 },
    });
    return true;
  }

  /** True when the Lease has not changed for as long as its holder said that it may be believed. */
  #isSilent(version: string, spec: Readonly<Record<string, unknown>>): boolean {
    const monotonic = this.#surroundings.monotonic();
    if (version !== this.#observed.version) this.#observed = { version, at: monotonic };
    const seconds = spec['leaseDurationSeconds'];
    const duration = typeof seconds === 'number' ? seconds * 1000 : this.#candidate.durationMilliseconds;
    return monotonic - this.#observed.at >= duration;
  }

  async #read(): Promise<LeaseObject | undefined> {
    try {
      const object = await this.#client.request({
        method: 'GET',
        path: this.#path(),
        signal: this.#stopped.signal,
        timeoutMilliseconds: this.#requestMilliseconds(),
      });
      if (!isKubernetesObject(object)) throw new Error(`Lease ${this.#candidate.lease} cannot be understood`);
      const spec = (object as { spec?: unknown }).spec;
      return { object, spec: isRecord(spec) ? spec : {}, resourceVersion: object.metadata.resourceVersion ?? '' };
    } catch (error) {
      if (hasCode(error, 404)) return undefined;
      throw error;
    }
  }

  async #write(method: 'POST' | 'PUT', object: object): Promise<void> {
    this.#mayHoldLease = true;
    await this.#send(method, object, this.#stopped.signal);
  }

  /** Carries the resourceVersion that was read, so that it fails when somebody else wrote in between. */
  async #send(method: 'POST' | 'PUT', object: object, signal?: AbortSignal): Promise<void> {
    const body = { ...object, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    const path = method === 'POST' ? this.#path().slice(0, this.#path().lastIndexOf('/')) : this.#path();
    const timeoutMilliseconds = this.#requestMilliseconds();
    await this.#client.request({ method, path, body, timeoutMilliseconds, ...(signal && { signal }) });
  }

  async #release(): Promise<void> {
    const timeoutMilliseconds = this.#requestMilliseconds();
    const object = await this.#client.request({ method: 'GET', path: this.#path(), timeoutMilliseconds });
    const spec = isRecord(object) && isRecord(object['spec']) ? object['spec'] : {};
    if (spec['holderIdentity'] !== this.#candidate.identity) return;
    await this.#send('PUT', { ...(object as object), spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1 } });
  }

  #path(): string {
    const { namespace, lease } = this.#candidate;
    return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${lease}`;
  }

  #metadata(): object {
    return { name: this.#candidate.lease, namespace: this.#candidate.namespace };
  }

  #lead(): void {
    if (this.#isLeader || this.#stopped.signal.aborted) return;
    this.#isLeader = true;
    this.#listener.gained();
  }

  #resign(): void {
    if (!this.#isLeader) return;
    this.#isLeader = false;
    this.#listener.lost();
  }

  #tell(problem: string | undefined): void {
    if (this.#stopped.signal.aborted) return;
    const isNews = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (isNews) this.#listener.troubled(problem);
  }
}

interface LeaseObject {
  readonly object: object;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly resourceVersion: string;
}
