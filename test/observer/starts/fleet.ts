import { WRITE_MILLISECONDS, ProfileWriter } from '../../../src/observer/starts/profile-writer.ts';
import { PendingStarts } from '../../../src/observer/starts/pending-starts.ts';
import { StartInference } from '../../../src/observer/starts/start-inference.ts';
import { podOf, seededRandom } from '../../kubelet/pods.ts';
import { simulatePod } from '../../kubelet/simulated-pod.ts';
import { podAsListed, watchEventsOf, type PodWatchEvent } from '../../kubelet/watch-events.ts';
import { ProfileStore } from './profile-store.ts';
import { uidsOf } from './pod-events.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { PodHistory } from '../../kubelet/status-history.ts';
import type { ContainerTruth, StartTruth } from '../../kubelet/truth.ts';

/** The first instant of the fleet. */
export const BEGIN = Date.parse('2026-11-20T10:00:00Z');
const MINUTE = 60_000;
const ROUND = 10_000;
const CREATION_MINUTES = 40;
/** Long enough for starts that change no figure, which are written after an hour. */
const END = BEGIN + 120 * MINUTE;
const LEASE = 60_000;

type Random = () => number;
const between = (random: Random, from: number, to: number): number => from + random() * (to - from);
const whole = (random: Random, from: number, to: number): number => Math.floor(between(random, from, to + 1));
const chance = (random: Random, share: number): boolean => random() < share;
const oneOf = <T>(random: Random, choices: readonly T[]): T => choices[whole(random, 0, choices.length - 1)] as T;

/** The containers of one Deployment. */
export interface FleetWorkload {
  readonly name: string;
  readonly specs: readonly JsonObject[];
  /** Seconds that its containers usually need. */
  readonly usual: number;
}

function probe(random: Random, successThreshold = 1): JsonObject {
  return {
    httpGet: { path: '/healthz', port: 8080 },
    initialDelaySeconds: whole(random, 0, 6),
    periodSeconds: whole(random, 1, 10),
    timeoutSeconds: whole(random, 1, 4),
    failureThreshold: whole(random, 2, 8),
    successThreshold,
  };
}

function workload(random: Random, index: number): FleetWorkload {
  const specs = ['app', 'proxy', 'agent'].slice(0, whole(random, 1, 3)).map((name) => ({
    name,
    ...(chance(random, 0.6) && { startupProbe: probe(random) }),
    ...(chance(random, 0.6) && { readinessProbe: probe(random, whole(random, 1, 2)) }),
    ...(chance(random, 0.4) && { livenessProbe: probe(random) }),
    ...(name === 'agent' && chance(random, 0.5) && { restartPolicy: 'Always' }),
  }));
  return { name: `web${index}`, specs, usual: between(random, 0, 40) };
}

function startTruth(random: Random, usual: number): StartTruth {
  const answersFrom = chance(random, 0.05) ? Infinity : usual * between(random, 0.5, 1.5);
  const from = whole(random, 120, 300);
  return {
    answersFrom,
    ...(chance(random, 0.3) && { readyFrom: answersFrom + between(random, 0, 20) }),
    before: chance(random, 0.2) ? { kind: 'hang' } : { kind: 'refused' },
    ...(chance(random, 0.2) && { endsAt: between(random, 1, 120), reason: oneOf(random, ['Error', 'OOMKilled']) }),
    ...(chance(random, 0.3) && {
      faults: [{ from, until: from + 20, answer: { kind: 'status', status: 503 }, probes: ['readiness'] }],
    }),
    stopSeconds: between(random, 0, 4),
  };
}

function podHistory(random: Random, { name, specs, usual }: FleetWorkload, serial: number): PodHistory {
  const sidecars = specs.filter((spec) => 'restartPolicy' in spec);
  const inits = chance(random, 0.3) ? [{ name: 'init' }] : [];
  const hasGate = chance(random, 0.2);
  const pod = podOf(
    specs.filter((spec) => !('restartPolicy' in spec)),
    {
      initContainers: [...inits, ...sidecars],
      ...(hasGate && { readinessGates: [{ conditionType: 'example.test/gate' }] }),
    },
    {
      name: `${name}-5d9c-${serial}`,
      uid: `uid-${serial}`,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-5d9c`, uid: 'rs', controller: true },
      ],
      labels: { 'pod-template-hash': '5d9c' },
    },
  );
  const truths: Record<string, ContainerTruth> = { init: { starts: [{}], runsSeconds: between(random, 0, 15) } };
  for (const { name: container } of specs as readonly { name: string }[])
    truths[container] = {
      starts: Array.from({ length: whole(random, 1, 3) }, () => startTruth(random, usual)),
      pullSeconds: between(random, 0, 10),
    };
  return simulatePod(
    {
      pod,
      createdAt: BEGIN + Math.floor(random() * CREATION_MINUTES * MINUTE),
      until: 400,
      containers: truths,
      node: `node-${whole(random, 1, 5)}`,
      nodeClockAhead: oneOf(random, [0, 0, 0.4, -3, 45]),
      writeSeconds: oneOf(random, [0.05, 0.3, 1.5]),
      kubeletRestarts: chance(random, 0.05) ? [{ at: whole(random, 20, 300), keepsReady: chance(random, 0.5) }] : [],
      restartsAllAt: chance(random, 0.05) ? [whole(random, 30, 300)] : [],
      ...(hasGate && { gates: { 'example.test/gate': whole(random, 5, 90) } }),
    },
    random,
  );
}

/** One process of the observer: what it watches, and what it has not written. */
class Replica {
  readonly pending = new PendingStarts();
  readonly inference: StartInference;
  /** Instants of the watch's breaks, as pairs: events between are lost, and then all Pods are listed. */
  readonly #gaps: readonly (readonly [number, number])[];
  readonly #latency: number;
  now = 0;

  constructor(random: Random, from: number, told: Told) {
    this.#latency = oneOf(random, [0, 20, 400]);
    this.#gaps = Array.from({ length: whole(random, 0, 3) }, () => {
      const at = from + random() * CREATION_MINUTES * MINUTE;
      // Lists come with the rounds.
      return [at, BEGIN + Math.ceil((at + random() * MINUTE - BEGIN) / ROUND) * ROUND] as const;
    });
    this.inference = new StartInference((start) => {
      if (start.sample === undefined) told.killed.add(start.id);
      else told.measured.add(start.sample.id);
      this.pending.add(start, this.now);
    });
  }

  see({ at, object }: PodWatchEvent): void {
    if (this.#gaps.some(([from, until]) => at >= from && at < until)) return;
    this.now = at + this.#latency;
    this.inference.seen(object, this.now);
  }

  list(histories: readonly PodHistory[], at: number): void {
    this.now = at;
    this.inference.listing();
    const pods = histories.map((history) => podAsListed(history, at)).filter((pod) => pod !== undefined);
    for (const pod of pods) this.inference.seen(pod, at);
    this.inference.listed(uidsOf(...pods));
  }

  /** Whether a break of the watch ends at this instant. */
  listsAt(now: number): boolean {
    return this.#gaps.some(([, until]) => until === now);
  }

  ids(): string[] {
    return this.pending
      .workloads()
      .flatMap(({ starts }) => starts)
      .map((start) => (start.sample === undefined ? start.id : start.sample.id));
  }
}

/** The identities of the starts that any replica has seen. */
interface Told {
  readonly measured: Set<string>;
  readonly killed: Set<string>;
}

/** What became of a fleet. */
export interface FleetResult {
  readonly workloads: readonly FleetWorkload[];
  readonly histories: readonly PodHistory[];
  readonly profiles: ProfileStore;
  readonly told: Told;
  /** Starts that only the killed leader had seen, and had not written. */
  readonly lost: ReadonlySet<string>;
  readonly kills: number;
}

/**
 * Lets two replicas of the observer watch a fleet of this seed, of at least this many containers. The leader is killed at
 * random moments, often in the middle of a write. The other replica leads when the Lease has ended.
 */
export async function observeFleet(seed: number, containers: number): Promise<FleetResult> {
  const random = seededRandom(seed);
  const workloads: FleetWorkload[] = [];
  const histories: PodHistory[] = [];
  for (let count = 0; count < containers;) {
    const one = workload(random, workloads.length);
    workloads.push(one);
    for (let pods = whole(random, 1, 14); pods > 0; pods--) {
      histories.push(podHistory(random, one, histories.length));
      count += one.specs.length;
    }
  }
  return new Fleet(random, workloads, histories).run();
}

class Fleet {
  readonly #random: Random;
  readonly #workloads: readonly FleetWorkload[];
  readonly #histories: readonly PodHistory[];
  readonly #profiles = new ProfileStore();
  readonly #told: Told = { measured: new Set(), killed: new Set() };
  readonly #lost = new Set<string>();
  readonly #replicas: (Replica | undefined)[];
  #writer: ProfileWriter | undefined;
  #leader = 0;
  #leadsFrom = BEGIN;
  #restartsAt = Infinity;
  #killsAt: number;
  #kills = 0;
  #requestsLeft = Infinity;

  constructor(random: Random, workloads: readonly FleetWorkload[], histories: readonly PodHistory[]) {
    this.#random = random;
    this.#workloads = workloads;
    this.#histories = histories;
    this.#replicas = [0, 1].map(() => new Replica(random, BEGIN, this.#told));
    this.#killsAt = BEGIN + between(random, 1, 8) * MINUTE;
  }

  async run(): Promise<FleetResult> {
    const events = this.#histories.flatMap((history) => watchEventsOf(history)).sort((one, other) => one.at - other.at);
    let next = 0;
    for (let now = BEGIN; now < END; now += ROUND) {
      for (; (events[next]?.at ?? Infinity) < now; next++)
        for (const replica of this.#replicas) replica?.see(events[next] as PodWatchEvent);
      for (const replica of this.#replicas) {
        if (replica?.listsAt(now)) replica.list(this.#histories, now);
        if (replica) replica.now = now;
        replica?.inference.reportDue(now);
      }
      this.#restart(now);
      await this.#round(now);
    }
    return {
      workloads: this.#workloads,
      histories: this.#histories,
      profiles: this.#profiles,
      told: this.#told,
      lost: this.#lost,
      kills: this.#kills,
    };
  }

  #restart(now: number): void {
    if (now < this.#restartsAt) return;
    this.#restartsAt = Infinity;
    const replica = new Replica(this.#random, now, this.#told);
    this.#replicas[this.#replicas.indexOf(undefined)] = replica;
    replica.list(this.#histories, now);
  }

  async #round(now: number): Promise<void> {
    const leader = this.#replicas[this.#leader];
    this.#replicas[1 - this.#leader]?.pending.expire(now - 3 * WRITE_MILLISECONDS);
    if (leader === undefined || now < this.#leadsFrom) return;
    this.#writer ??= new ProfileWriter(
      this.#profiles.client(() => this.#requestsLeft-- <= 0),
      leader.pending,
      () => Promise.resolve({ apiVersion: 'apps/v1', metadata: { uid: 'owner' } }),
    );
    const isKilled = now >= this.#killsAt;
    this.#requestsLeft = isKilled ? whole(this.#random, 0, 20) : Infinity;
    for (const pending of this.#writer.due(now)) {
      const result = await this.#writer.write(pending, now, new AbortController().signal).catch(() => 'killed');
      if (result === 'killed') break;
    }
    if (isKilled) this.#kill(leader, now);
  }

  #kill(leader: Replica, now: number): void {
    this.#kills += 1;
    this.#replicas[this.#leader] = undefined;
    this.#leader = 1 - this.#leader;
    const others = new Set(this.#replicas[this.#leader]?.ids());
    for (const id of leader.ids()) if (!others.has(id)) this.#lost.add(id);
    this.#writer = undefined;
    this.#leadsFrom = now + LEASE;
    this.#restartsAt = now + between(this.#random, 0, 2) * MINUTE;
    this.#killsAt = now < BEGIN + 60 * MINUTE ? now + between(this.#random, 4, 12) * MINUTE : Infinity;
  }
}
