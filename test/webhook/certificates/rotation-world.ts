import { initialState, rotationStep, trustedBy } from '../../../src/webhook/certificates/ca-state.ts';
import { isLeafDue, renewalTime, type ServedLeaf } from '../../../src/webhook/certificates/ca-state.ts';
import type {
  CaState,
  CaStep,
  CertificateAuthority,
  RotationSettings,
} from '../../../src/webhook/certificates/ca-state.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Longest time between two looks of a replica, and by which its view of the cluster lags; together less than the overlap. */
const TICK = 20 * MINUTE;
const LAG = 30 * MINUTE;
/** By which a client's view of its bundle lags. */
const CLIENT_LAG = 15 * MINUTE;

/** A value that changes over time, and can be looked at as it was a while ago. */
class Timeline<T> {
  #changes: { readonly at: number; readonly value: T }[];

  constructor(value: T) {
    this.#changes = [{ at: 0, value }];
  }

  get now(): T {
    return this.at(Infinity);
  }

  at(time: number): T {
    const found = this.#changes.findLast(({ at }) => at <= time) ?? this.#changes[0];
    if (found === undefined) throw new Error('a timeline is never empty');
    return found.value;
  }

  set(at: number, value: T): void {
    this.#changes.push({ at, value });
    // Nobody looks back further than this.
    if (this.#changes.length > 200) this.#changes = this.#changes.slice(-100);
  }
}

interface Replica {
  isLeader: boolean;
  lag: number;
  served: ServedLeaf | undefined;
}

type Bundle = readonly string[];

/**
 * Replicas, a Secret, two webhook configurations and their clients, without any network: everybody sees the past, writes get lost,
 * leaders come and go, two at a time now and then, replicas restart, and somebody edits bundles.
 */
export class RotationWorld {
  readonly steps: CaStep[] = [];
  readonly #settings: RotationSettings & { readonly caLifetime: number };
  readonly #random: () => number;
  readonly #secret: Timeline<CaState>;
  readonly #bundles: readonly Timeline<Bundle>[];
  /** What somebody took out of a bundle, and until when no replica can be blamed that it is missing. */
  readonly #takenOut: readonly Map<string, number>[] = [new Map(), new Map()];
  readonly #replicas: Replica[];
  #made = 0;
  #now = 0;

  constructor(settings: RotationSettings & { readonly caLifetime: number }, random: () => number, replicas: number) {
    this.#settings = settings;
    this.#random = random;
    const ca = this.#newAuthority();
    this.#secret = new Timeline(initialState(ca));
    this.#bundles = [new Timeline<Bundle>([ca.cert]), new Timeline<Bundle>([ca.cert])];
    this.#replicas = Array.from({ length: replicas }, () => ({ isLeader: false, lag: 0, served: undefined }));
  }

  /** Goes on for a while. Gives what a client could not trust, if anything. */
  run(milliseconds: number): string | undefined {
    const end = this.#now + milliseconds;
    while (this.#now < end) {
      this.#now += TICK * this.#random();
      this.#disturb();
      for (const replica of this.#replicas) {
        replica.lag = Math.min(LAG * this.#random(), replica.lag + TICK);
        this.#look(replica);
        const failure = this.#untrusted();
        if (failure !== undefined) return failure;
      }
    }
    return undefined;
  }

  #disturb(): void {
    const chance = this.#random();
    const replica = this.#replicas[Math.floor(this.#random() * this.#replicas.length)];
    if (replica === undefined) return;
    if (chance < 0.02) replica.isLeader = !replica.isLeader;
    else if (chance < 0.03) replica.served = undefined;
    // More often at the delicate moment.
    else if (chance < (this.#secret.now.nextTrustedSince === undefined ? 0.04 : 0.1)) this.#edit();
  }

  #edit(): void {
    const which = this.#random() < 0.5 ? 0 : 1;
    const held = this.#bundles[which]?.now ?? [];
    const kept = held.filter(() => this.#random() < 0.5);
    for (const cert of held) if (!kept.includes(cert)) this.#takenOut[which]?.set(cert, Infinity);
    this.#bundles[which]?.set(this.#now, kept);
  }

  /** One round of a replica. */
  #look(replica: Replica): void {
    const seenAt = this.#now - replica.lag;
    const state = this.#secret.at(seenAt);
    const bundles = this.#bundles.map((bundle) => bundle.at(seenAt));
    const isTrusted = (cert: string): boolean => bundles.every((bundle) => bundle.includes(cert));
    if (isLeafDue(replica.served, state.ca, isTrusted(state.ca.cert), this.#now))
      replica.served = this.#leafOf(state.ca);
    if (!replica.isLeader) return;
    const wanted = trustedBy(state)
      .filter(({ notAfter }) => notAfter > this.#now)
      .map(({ cert }) => cert);
    bundles.forEach((bundle, which) => {
      if (bundle.join() !== wanted.join() && this.#random() < 0.8) this.#writeBundle(which, wanted);
    });
    const due = rotationStep(state, state.next && isTrusted(state.next.cert), this.#now, this.#settings);
    // Guarded by the version that was seen; and a write can get lost.
    if (due === undefined || state !== this.#secret.now || this.#random() < 0.2) return;
    this.steps.push(due.step);
    this.#secret.set(this.#now, typeof due.state === 'object' ? due.state : due.state(this.#newAuthority()));
  }

  #writeBundle(which: number, wanted: Bundle): void {
    const takenOut = this.#takenOut[which];
    for (const cert of wanted) if (takenOut?.get(cert) === Infinity) takenOut.set(cert, this.#now + CLIENT_LAG);
    this.#bundles[which]?.set(this.#now, wanted);
  }

  /** Clients see the bundles as they were at any time within their lag. */
  #untrusted(): string | undefined {
    for (const { served } of this.#replicas) {
      if (served === undefined || this.#now >= served.notAfter) continue;
      for (const seenAt of [this.#now - CLIENT_LAG, this.#now - CLIENT_LAG / 2, this.#now]) {
        for (const [which, bundle] of this.#bundles.entries()) {
          const isExcused = (this.#takenOut[which]?.get(served.ca) ?? -Infinity) >= this.#now;
          if (!bundle.at(seenAt).includes(served.ca) && !isExcused)
            return `${served.ca} is not among ${bundle.at(seenAt).join()} at ${this.#now / DAY} d`;
        }
      }
    }
    return undefined;
  }

  #leafOf(ca: CertificateAuthority): ServedLeaf {
    const notAfter = Math.min(this.#now + this.#settings.leafLifetime, ca.notAfter);
    const renewAt = renewalTime(this.#now, notAfter, this.#random());
    return { ca: ca.cert, issuedAt: this.#now, renewAt, notAfter };
  }

  #newAuthority(): CertificateAuthority {
    const cert = `CA ${++this.#made}`;
    return { cert, key: '', notBefore: this.#now - HOUR, notAfter: this.#now + this.#settings.caLifetime };
  }
}
