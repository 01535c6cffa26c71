import { Backoff } from '../client/backoff.ts';
import { NamespaceTurns } from './namespace-turns.ts';
import { placeOf } from './policy-reference.ts';
import type { Timer } from '../client/timer.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { StaleStatus } from './policy-status.ts';

/**
 * Why the status of a policy is not as it should be. `not-kept`: the API server drops part of the status.
 * `no-last-good`: the rest of the status is written, but the object has no room for the last good version.
 */
const SET_ASIDE_REASONS = ['too-large', 'refused', 'gone', 'failed', 'not-kept', 'no-last-good'] as const;
export type SetAsideReason = (typeof SET_ASIDE_REASONS)[number];

/** A policy whose status is not as it should be. */
export interface StaleItem {
  readonly place: string;
  readonly policy: PolicyReference;
  readonly backoff: Backoff;
  stale: StaleStatus;
  /** Writes that failed in a row. */
  failures: number;
  /** Ends the item's own pause; undefined while there is no pause. */
  endPause: (() => void) | undefined;
  /** Whether the pause was cut short because the object has changed. */
  isHurried: boolean;
  aside: Aside | undefined;
  /** Why the item was set aside at the last report. */
  reported: SetAsideReason | undefined;
}

/** An item is set aside until its object changes. Items that `failed` are also tried again now and then. */
export interface Aside {
  readonly reason: SetAsideReason;
  readonly stale: StaleStatus;
  /** The object's resourceVersion to which this applies. */
  readonly version: string | undefined;
}

/** The pauses of one object. */
const RETRY_OBJECT = { minimum: 1000, maximum: 300_000 };
/** After an upgrade every policy may need a new status, and the API server has other work, too. */
const CONCURRENCY = 4;
/** The most writes of one namespace under way, so that slow writes leave room for other namespaces. */
const CONCURRENCY_OF_NAMESPACE = 2;

/**
 * The policies whose status is not as it should be, and when each of them is written next. Namespaces take turns. An
 * object that cannot be written pauses or is set aside, and delays no other object. Replicas that do not lead keep the
 * list, too, because any of them may lead next.
 */
export class StaleStatuses {
  readonly #timer: Timer;
  readonly #random: () => number;
  readonly #ready: () => void;
  /** By place. */
  readonly #items = new Map<string, StaleItem>();
  /** The places of the items that can be written now. */
  readonly #turns = new NamespaceTurns();
  readonly #underWay = new Map<string, StaleItem>();

  /** @param ready the pause of an item is over */
  constructor(timer: Timer, random: () => number, ready: () => void) {
    this.#timer = timer;
    this.#random = random;
    this.#ready = ready;
  }

  /** Makes every item ready to be written, whatever happened to it before. */
  retryAll(): void {
    for (const item of this.#items.values()) {
      this.#endPause(item);
      item.backoff.reset();
      item.failures = 0;
      item.aside = undefined;
      this.queue(item);
    }
  }

  /** How many items are set aside, by reason. */
  setAside(): Readonly<Record<SetAsideReason, number>> {
    const counts = Object.fromEntries(SET_ASIDE_REASONS.map((reason) => [reason, 0])) as Record<SetAsideReason, number>;
    for (const { aside } of this.#items.values()) if (aside !== undefined) counts[aside.reason]++;
    return counts;
  }

  /** @param stale undefined when the status is as it should be, or the policy is gone */
  update(policy: PolicyReference, stale: StaleStatus | undefined): void {
    const place = placeOf(policy);
    const item = this.#items.get(place);
    if (stale === undefined) {
      if (item !== undefined) this.drop(item);
    } else if (item === undefined) this.#add(place, policy, stale);
    else this.#renew(item, stale);
  }

  /** Takes out the item to write next; undefined when no item can be written now. Each is returned to `finish`. */
  take(): StaleItem | undefined {
    if (this.#underWay.size >= CONCURRENCY) return undefined;
    const place = this.#turns.take((namespace) => this.#isBusy(namespace));
    const item = place === undefined ? undefined : this.#items.get(place);
    if (item !== undefined) this.#underWay.set(item.place, item);
    return item;
  }

  /** The write of an item is over. */
  finish(item: StaleItem): void {
    this.#underWay.delete(item.place);
  }

  /** The item at a place: another one when the object was deleted and created again. */
  at(place: string): StaleItem | undefined {
    return this.#items.get(place);
  }

  drop(item: StaleItem): void {
    this.#endPause(item);
    this.#items.delete(item.place);
    this.#turns.delete(namespaceOf(item), item.place);
  }

  /** An item whose write is under way is queued afterwards, if its status is still stale. */
  queue(item: StaleItem): void {
    if (!this.#underWay.has(item.place)) this.#turns.add(namespaceOf(item), item.place);
  }

  /** Queues an item that is neither gone nor in a pause. */
  requeue(item: StaleItem | undefined): void {
    if (item !== undefined && this.#items.get(item.place) === item && item.endPause === undefined) this.queue(item);
  }

  pause(item: StaleItem): void {
    item.endPause = this.#timer(item.backoff.next(), () => {
      item.endPause = undefined;
      item.isHurried = false;
      this.queue(item);
      this.#ready();
    });
  }

  #add(place: string, policy: PolicyReference, stale: StaleStatus): void {
    const backoff = new Backoff(RETRY_OBJECT, this.#random);
    const nothing = { failures: 0, endPause: undefined, isHurried: false, aside: undefined, reported: undefined };
    const item = { place, policy, backoff, stale, ...nothing };
    this.#items.set(place, item);
    this.queue(item);
  }

  /** When an event brings nothing new, an item that waits goes on waiting. */
  #renew(item: StaleItem, stale: StaleStatus): void {
    const { aside } = item;
    const isChanged = aside === undefined ? stale.version !== item.stale.version : !isCoveredBy(aside, stale);
    item.stale = stale;
    if (!isChanged || (aside === undefined && item.endPause === undefined) || item.isHurried) return;
    this.#endPause(item);
    item.aside = undefined;
    item.failures = 0;
    item.isHurried = true;
    item.backoff.reset();
    this.pause(item);
  }

  #endPause(item: StaleItem): void {
    item.endPause?.();
    item.endPause = undefined;
    item.isHurried = false;
  }

  #isBusy(namespace: string): boolean {
    const own = [...this.#underWay.values()].filter((item) => namespaceOf(item) === namespace);
    return own.length >= CONCURRENCY_OF_NAMESPACE;
  }
}

/** Policies of the cluster take turns as the policies of one namespace do. */
function namespaceOf({ policy }: StaleItem): string {
  return policy.namespace ?? '';
}

/** True when nothing has changed since the item was set aside that could make its write succeed. */
export function isCoveredBy(aside: Aside, stale: StaleStatus): boolean {
  // A write that is kept in part changes the version, which must not cause another write.
  if (aside.reason === 'not-kept') return isSameWish(aside.stale, stale);
  // A budget may get or lose room without a change of the object.
  const budgets = [aside.stale, stale].map(({ verdict }) => verdict.overBudget?.budget);
  return aside.version === stale.version && budgets[0] === budgets[1];
}

/** True when the same patch would be sent, except for its time. */
function isSameWish(one: StaleStatus, other: StaleStatus): boolean {
  return (
    one.shown.exists === other.shown.exists &&
    one.verdict.generation === other.verdict.generation &&
    one.verdict.good?.generation === other.verdict.good?.generation &&
    one.verdict.overBudget?.budget === other.verdict.overBudget?.budget &&
    one.verdict.problems.join('\n') === other.verdict.problems.join('\n') &&
    one.verdict.warnings?.join('\n') === other.verdict.warnings?.join('\n')
  );
}
