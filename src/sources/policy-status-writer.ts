import { JSON_PATCH, MERGE_PATCH } from '../kubernetes/api-client.ts';
import { ApiError, hasCode } from '../kubernetes/api-error.ts';
import { Backoff } from '../kubernetes/backoff.ts';
import { isRecord } from '../kubernetes/kubernetes-object.ts';
import { objectPath, placeOf } from './policy-reference.ts';
import { isShown, shownStatus, statusPatch } from './policy-status.ts';
import { realTimer } from './timer.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { StaleStatus } from './policy-mirror.ts';
import type { StatusPatch } from './policy-status.ts';
import type { Timer } from './timer.ts';

/** The rim that the writer works with. */
export interface StatusWriterSurroundings {
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly timer?: Timer;
}

/** What a writer tells. */
export interface StatusWriterListener {
  /** Statuses cannot be written, or can be again (undefined). Told once, not at every attempt. */
  readonly troubled: (problem: string | undefined) => void;
}

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';
/** After an upgrade every policy may want a new status: the API server has other work, too. */
const CONCURRENCY = 4;
const RETRY = { minimum: 1000, maximum: 60_000 };
/** The same request would be refused again. */
const FINAL_CODES: readonly number[] = [400, 413, 415, 422];

const CONTENT_TYPES: Readonly<Record<StatusPatch['type'], string>> = { merge: MERGE_PATCH, json: JSON_PATCH };

interface Item {
  readonly policy: PolicyReference;
  readonly stale: StaleStatus;
}

/**
 * Writes into the status of policies what became of them, on the one replica that leads. It is told at every event what a status lacks; its
 * own writes come back as events that lack nothing, and so it comes to rest.
 */
export class PolicyStatusWriter {
  readonly #client: ApiClient;
  readonly #listener: StatusWriterListener;
  readonly #now: () => number;
  readonly #timer: Timer;
  readonly #backoff: Backoff;
  /** What is to be written, the oldest first. Kept up to date by replicas that do not lead, too: any of them may have to go on. */
  readonly #items = new Map<string, Item>();
  /** What the API server does not take or does not keep: not asked again for the same until we lead anew. */
  readonly #refused = new Map<string, Item>();
  readonly #underWay = new Set<string>();
  /** Aborted when we lead no longer; undefined while we do not. */
  #term: AbortController | undefined;
  /** Ends the pause after a failure. */
  #callOff: (() => void) | undefined;
  #problem: string | undefined;

  constructor(client: ApiClient, listener: StatusWriterListener, surroundings: StatusWriterSurroundings) {
    this.#client = client;
    this.#listener = listener;
    this.#now = surroundings.now;
    this.#timer = surroundings.timer ?? realTimer;
    this.#backoff = new Backoff(RETRY, surroundings.random);
  }

  /** Whether this replica is the one that writes. */
  lead(isLeader: boolean): void {
    if (isLeader === (this.#term !== undefined)) return;
    this.#term?.abort();
    this.#term = isLeader ? new AbortController() : undefined;
    this.#callOff?.();
    this.#callOff = undefined;
    this.#backoff.reset();
    for (const [place, item] of this.#refused) if (!this.#items.has(place)) this.#items.set(place, item);
    this.#refused.clear();
    this.#writeSome();
  }

  stop(): void {
    this.lead(false);
  }

  /** What the status of a policy lacks; undefined when it lacks nothing, or the policy is gone. */
  update(policy: PolicyReference, stale: StaleStatus | undefined): void {
    const place = placeOf(policy);
    const refused = this.#refused.get(place);
    if (stale !== undefined && refused !== undefined && isSameWish(refused.stale, stale)) return;
    this.#refused.delete(place);
    if (stale === undefined) this.#items.delete(place);
    else this.#items.set(place, { policy, stale });
    this.#writeSome();
  }

  #writeSome(): void {
    const term = this.#term;
    if (term === undefined || this.#callOff !== undefined) return;
    for (const [place, item] of this.#items) {
      if (this.#underWay.size >= CONCURRENCY) return;
      if (!this.#underWay.has(place)) void this.#write(place, item, term.signal);
    }
  }

  async #write(place: string, item: Item, signal: AbortSignal): Promise<void> {
    this.#underWay.add(place);
    try {
      const patch = statusPatch(item.stale.shown, item.stale.verdict, this.#now());
      if (patch !== undefined) this.#written(place, item, await this.#send(item.policy, patch, signal));
    } catch (error) {
      // What is not written by us is left to who leads now.
      if (!signal.aborted) this.#fail(place, item, error);
    }
    this.#underWay.delete(place);
    this.#writeSome();
  }

  #send(policy: PolicyReference, { type, body }: StatusPatch, signal: AbortSignal): Promise<unknown> {
    return this.#client.request({
      method: 'PATCH',
      path: `${objectPath(policy)}/status`,
      query: { fieldManager: FIELD_MANAGER },
      contentType: CONTENT_TYPES[type],
      body,
      signal,
    });
  }

  /** @param object as the API server has it now */
  #written(place: string, item: Item, object: unknown): void {
    this.#backoff.reset();
    const shown = shownStatus(isRecord(object) ? object['status'] : undefined);
    const latest = this.#items.get(place);
    if (latest !== undefined && isShown(shown, latest.stale.verdict)) this.#items.delete(place);
    else if (latest === item)
      return this.#refuse(place, item, 'the API server does not keep all of the status: is the CRD older than we are?');
    else if (latest !== undefined)
      this.#items.set(place, { ...latest, stale: { shown, verdict: latest.stale.verdict } });
    this.#tell(undefined);
  }

  #fail(place: string, item: Item, error: unknown): void {
    const isLatest = this.#items.get(place) === item;
    // Gone; or changed meanwhile, and that is an event that is still to come.
    if (hasCode(error, 404) || hasCode(error, 409)) {
      if (isLatest) this.#items.delete(place);
      return;
    }
    const problem = error instanceof Error ? error.message : String(error);
    if (error instanceof ApiError && FINAL_CODES.includes(error.code)) {
      if (isLatest) this.#refuse(place, item, problem);
      return;
    }
    this.#tell(problem);
    this.#callOff ??= this.#timer(this.#backoff.next(), () => {
      this.#callOff = undefined;
      this.#writeSome();
    });
  }

  #refuse(place: string, item: Item, problem: string): void {
    this.#items.delete(place);
    this.#refused.set(place, item);
    this.#tell(`${place}: ${problem}`);
  }

  #tell(problem: string | undefined): void {
    const isNews = (problem === undefined) !== (this.#problem === undefined);
    this.#problem = problem;
    if (isNews) this.#listener.troubled(problem);
  }
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
