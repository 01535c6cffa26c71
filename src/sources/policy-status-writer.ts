import { JSON_PATCH, MERGE_PATCH } from '../kubernetes/api-client.ts';
import { Backoff } from '../kubernetes/backoff.ts';
import { isRecord } from '../kubernetes/kubernetes-object.ts';
import { NamespaceTurns } from './namespace-turns.ts';
import { objectPath, placeOf } from './policy-reference.ts';
import { isShown, shownStatus, statusPatch } from './policy-status.ts';
import { statusWriteFailure } from './status-write-failure.ts';
import { realTimer } from './timer.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { StaleStatus } from './policy-mirror.ts';
import type { ShownStatus, StatusPatch } from './policy-status.ts';
import type { StatusWriteFailure } from './status-write-failure.ts';
import type { Timer } from './timer.ts';

/** The rim that the writer works with. */
export interface StatusWriterSurroundings {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly timer?: Timer;
}

/**
 * Why the status of a policy is not as it should be. `not-kept`: the API server drops part of it. `no-last-good`: the rest of it is written,
 * but the last good version has no room in the object.
 */
export const SET_ASIDE_REASONS = ['too-large', 'refused', 'gone', 'failed', 'not-kept', 'no-last-good'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** What a writer tells. */
export interface StatusWriterListener {
  /** No status can be written, or statuses can be written again (undefined). Told once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
  /** The status of one policy cannot be written as it should be, others can. Told once for each reason, until the status is written. */
  readonly setAside: (place: string, reason: SetAsideReason, problem: string) => void;
}

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';
/** After an upgrade every policy may want a new status: the API server has other work, too. */
const CONCURRENCY = 4;
/** Writes that a namespace may have under way, so that slow ones leave room for other namespaces. */
const CONCURRENCY_OF_NAMESPACE = 2;
/** The pauses of all writes while the API server is not available: short, as a single object may be able to cause them. */
const RETRY = { minimum: 1000, maximum: 15_000 };
/** The pauses of one object. */
const RETRY_OBJECT = { minimum: 1000, maximum: 300_000 };
/** As often an object may fail before it is told of: within 15 s, which an election in etcd does not take. */
const FAILURES_TOLD = 5;

const CONTENT_TYPES: Readonly<Record<StatusPatch['type'], string>> = { merge: MERGE_PATCH, json: JSON_PATCH };

/** A policy whose status is not as it should be. */
interface Item {
  readonly place: string;
  readonly policy: PolicyReference;
  readonly backoff: Backoff;
  stale: StaleStatus;
  failures: number;
  /** Ends its own pause; undefined while there is none. */
  callOff: (() => void) | undefined;
  /** Whether the pause was cut short because the object has changed. */
  isHurried: boolean;
  aside: Aside | undefined;
  /** Why it was put aside when the listener was told last. */
  told: SetAsideReason | undefined;
}

/** An item that is not tried again before its object changes, but for `failed`, which is tried again now and then. */
interface Aside {
  readonly reason: SetAsideReason;
  readonly stale: StaleStatus;
  /** The object's resourceVersion to which this applies. */
  readonly version: string | undefined;
}

/**
 * Writes into the status of policies what became of them, on the one replica that leads. It is told at every event what a status lacks; its
 * own writes come back as events that lack nothing, and so it comes to rest. Namespaces take turns, and an object that cannot be written
 * delays no other.
 */
export class PolicyStatusWriter {
  readonly #client: ApiClient;
  readonly #listener: StatusWriterListener;
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  /** By place. Kept up to date by replicas that do not lead, too: any of them may have to go on. */
  readonly #items = new Map<string, Item>();
  /** The places of the items that can be written now. */
  readonly #turns = new NamespaceTurns();
  readonly #underWay = new Map<string, Item>();
  /** Aborted when we lead no longer; undefined while we do not. */
  #term: AbortController | undefined;
  /** Ends the pause of all. */
  #callOff: (() => void) | undefined;
  #problem: string | undefined;

  constructor(client: ApiClient, listener: StatusWriterListener, surroundings: StatusWriterSurroundings) {
    this.#client = client;
    this.#listener = listener;
    this.#now = surroundings.now;
    this.#random = surroundings.random;
    this.#timer = surroundings.timer ?? realTimer;
    this.#backoff = new Backoff(RETRY, surroundings.random);
  }

  /** Whether this replica is the one that writes. A new term tries everything again. */
  lead(isLeader: boolean): void {
    if (isLeader === (this.#term !== undefined)) return;
    this.#term?.abort();
    this.#term = isLeader ? new AbortController() : undefined;
    this.#callOff?.();
    this.#callOff = undefined;
    this.#backoff.reset();
    for (const item of this.#items.values()) {
      this.#endPause(item);
      item.backoff.reset();
      item.failures = 0;
      item.aside = undefined;
      this.#queue(item);
    }
    this.#writeSome();
  }

  stop(): void {
    this.lead(false);
  }

  /** How many statuses are not as they should be, by why. Zero everywhere on replicas that do not lead. */
  setAside(): Readonly<Record<SetAsideReason, number>> {
    const counts = Object.fromEntries(SET_ASIDE_REASONS.map((reason) => [reason, 0])) as Record<SetAsideReason, number>;
    for (const { aside } of this.#items.values()) if (aside !== undefined) counts[aside.reason]++;
    return counts;
  }

  /** What the status of a policy lacks; undefined when it lacks nothing, or the policy is gone. */
  update(policy: PolicyReference, stale: StaleStatus | undefined): void {
    const place = placeOf(policy);
    const item = this.#items.get(place);
    if (stale === undefined) {
      if (item !== undefined) this.#drop(item);
    } else if (item === undefined) this.#add(place, policy, stale);
    else this.#renew(item, stale);
    this.#writeSome();
  }

  #add(place: string, policy: PolicyReference, stale: StaleStatus): void {
    const backoff = new Backoff(RETRY_OBJECT, this.#random);
    const nothing = { failures: 0, callOff: undefined, isHurried: false, aside: undefined, told: undefined };
    const item = { place, policy, backoff, stale, ...nothing };
    this.#items.set(place, item);
    this.#queue(item);
  }

  /** An event may tell what was known already: then an item that waits goes on waiting. */
  #renew(item: Item, stale: StaleStatus): void {
    const { aside } = item;
    const isChanged = aside === undefined ? stale.version !== item.stale.version : !isCoveredBy(aside, stale);
    item.stale = stale;
    if (!isChanged || (aside === undefined && item.callOff === undefined) || item.isHurried) return;
    this.#endPause(item);
    item.aside = undefined;
    item.failures = 0;
    item.isHurried = true;
    item.backoff.reset();
    this.#pause(item);
  }

  #drop(item: Item): void {
    this.#endPause(item);
    this.#items.delete(item.place);
    this.#turns.delete(namespaceOf(item), item.place);
  }

  /** What is under way is queued when it is done, should it be needed then. */
  #queue(item: Item): void {
    if (!this.#underWay.has(item.place)) this.#turns.add(namespaceOf(item), item.place);
  }

  #pause(item: Item): void {
    item.callOff = this.#timer(item.backoff.next(), () => {
      item.callOff = undefined;
      item.isHurried = false;
      this.#queue(item);
      this.#writeSome();
    });
  }

  #endPause(item: Item): void {
    item.callOff?.();
    item.callOff = undefined;
    item.isHurried = false;
  }

  #writeSome(): void {
    const term = this.#term;
    if (term === undefined || this.#callOff !== undefined) return;
    while (this.#underWay.size < CONCURRENCY) {
      const place = this.#turns.take((namespace) => this.#isBusy(namespace));
      const item = place === undefined ? undefined : this.#items.get(place);
      if (item === undefined) return;
      void this.#write(item, term.signal);
    }
  }

  #isBusy(namespace: string): boolean {
    const own = [...this.#underWay.values()].filter((item) => namespaceOf(item) === namespace);
    return own.length >= CONCURRENCY_OF_NAMESPACE;
  }

  async #write(item: Item, signal: AbortSignal): Promise<void> {
    const { place, stale } = item;
    this.#underWay.set(place, item);
    let outcome: () => void;
    try {
      const object = await this.#send(item.policy, statusPatch(stale.shown, stale.verdict, this.#now()), signal);
      outcome = () => this.#written(item, stale, object);
    } catch (error) {
      outcome = await this.#failure(item, stale, error, signal);
    }
    this.#underWay.delete(place);
    // What is not written by us is left to who leads now.
    if (signal.aborted) this.#requeue(item);
    // Gone, and perhaps back as another object of the same name.
    else if (this.#items.get(place) === item) outcome();
    else this.#requeue(this.#items.get(place));
    this.#writeSome();
  }

  #requeue(item: Item | undefined): void {
    if (item !== undefined && this.#items.get(item.place) === item && item.callOff === undefined) this.#queue(item);
  }

  /** What is to be done about a failure. Before that, what has no room is written without the last good version. */
  async #failure(item: Item, stale: StaleStatus, error: unknown, signal: AbortSignal): Promise<() => void> {
    const failure = statusWriteFailure(error);
    const patch = statusPatch(stale.shown, stale.verdict, this.#now());
    if ((failure !== 'too-large' && failure !== 'refused') || patch?.type !== 'json')
      return () => this.#fail(item, stale, failure, error);
    const problem = `the last good version does not fit: ${messageOf(error)}`;
    try {
      const object = await this.#send(
        item.policy,
        statusPatch(stale.shown, stale.verdict, this.#now(), 'without last good'),
        signal,
      );
      return () =>
        this.#putAside(item, 'no-last-good', problem, { stale, version: versionOf(object) ?? stale.version });
    } catch (second) {
      return () => this.#fail(item, stale, statusWriteFailure(second), second);
    }
  }

  /** The object as the API server has it then; undefined when there was nothing to be written. */
  async #send(policy: PolicyReference, patch: StatusPatch | undefined, signal: AbortSignal): Promise<unknown> {
    if (patch === undefined) return undefined;
    return this.#client.request({
      method: 'PATCH',
      path: `${objectPath(policy)}/status`,
      query: { fieldManager: FIELD_MANAGER },
      contentType: CONTENT_TYPES[patch.type],
      body: patch.body,
      signal,
    });
  }

  /** @param object as the API server has it now */
  #written(item: Item, stale: StaleStatus, object: unknown): void {
    this.#backoff.reset();
    this.#tell(undefined);
    const shown = object === undefined ? item.stale.shown : shownIn(object);
    if (isShown(shown, item.stale.verdict)) return this.#drop(item);
    if (item.stale === stale) {
      const problem = 'the API server does not keep all of the status: is the CRD older than we are?';
      return this.#putAside(item, 'not-kept', problem, { stale, version: versionOf(object) });
    }
    item.stale = { ...item.stale, shown };
    this.#queue(item);
  }

  #fail(item: Item, stale: StaleStatus, failure: StatusWriteFailure, error: unknown): void {
    const problem = messageOf(error);
    if (failure === 'unavailable') {
      this.#tell(problem);
      this.#pause(item);
      this.#callOff ??= this.#timer(this.#backoff.next(), () => {
        this.#callOff = undefined;
        this.#writeSome();
      });
    } else if (item.stale !== stale) this.#queue(item);
    else if (failure === 'changed') this.#drop(item);
    else if (failure === 'failed') {
      item.failures++;
      if (item.failures >= FAILURES_TOLD) this.#putAside(item, 'failed', problem, { stale, version: stale.version });
      this.#pause(item);
    } else this.#putAside(item, failure, problem, { stale, version: stale.version });
  }

  #putAside(item: Item, reason: SetAsideReason, problem: string, state: Omit<Aside, 'reason'>): void {
    const aside = { reason, ...state };
    // The object has changed while the write was under way.
    if (item.stale !== state.stale && !isCoveredBy(aside, item.stale)) return this.#queue(item);
    item.aside = aside;
    if (item.told === reason) return;
    item.told = reason;
    this.#listener.setAside(item.place, reason, problem);
  }

  #tell(problem: string | undefined): void {
    const isNews = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (isNews) this.#listener.troubled(problem);
  }
}

/** Policies of the cluster take turns as those of one namespace do. */
function namespaceOf({ policy }: Item): string {
  return policy.namespace ?? '';
}

/** True when nothing has happened since that could make the write succeed. */
function isCoveredBy(aside: Aside, stale: StaleStatus): boolean {
  // Each write that is not kept as a whole makes another version, which must not lead to another write.
  if (aside.reason === 'not-kept') return isSameWish(aside.stale, stale);
  // A budget may get room, or lose it, without a change of the object.
  const budgets = [aside.stale, stale].map(({ verdict }) => verdict.overBudget?.budget);
  return aside.version === stale.version && budgets[0] === budgets[1];
}

/** True when the same patch would be sent, but for its time. */
function isSameWish(one: StaleStatus, other: StaleStatus): boolean {
  return (
    one.shown.exists === other.shown.exists &&
    one.verdict.generation === other.verdict.generation &&
    one.verdict.good?.generation === other.verdict.good?.generation &&
    one.verdict.overBudget?.budget === other.verdict.overBudget?.budget &&
    one.verdict.problems.join('\n') === other.verdict.problems.join('\n')
  );
}

function shownIn(object: unknown): ShownStatus {
  return shownStatus(isRecord(object) ? object['status'] : undefined);
}

function versionOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
