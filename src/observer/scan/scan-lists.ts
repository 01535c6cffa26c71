import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, hasCode } from '../../cluster/client/api-error.ts';
import { Backoff } from '../../cluster/client/backoff.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { reduceList } from '../../cluster/sources/workload-lists.ts';
import { collectionOf } from '../observed-workload.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Pace } from '../../cluster/client/pace.ts';
import type { ObservedKind } from '../observed-workload.ts';

/** A list of workloads of one kind. */
export interface ListToRead {
  readonly kind: ObservedKind;
  /** Undefined = of all namespaces. */
  readonly namespace: string | undefined;
  readonly fieldSelector?: string;
}

/** Attempts for one list. Then the rest of the scan goes on. */
const MOST_ATTEMPTS = 4;
const PAUSES = { minimum: 500, maximum: 15_000 };
const LONGEST_RETRY_AFTER = 60_000;

/** Lists workloads page by page, at a limited pace. Each page is dropped after use. */
export class ScanLists {
  readonly #client: Pick<ApiClient, 'measured'>;
  readonly #random: () => number;
  readonly #signal: AbortSignal;

  constructor(client: ApiClient, pace: Pace, { random }: Pick<ClockAndRandom, 'random'>, signal: AbortSignal) {
    this.#random = random;
    this.#signal = signal;
    this.#client = {
      measured: async (request) => {
        await pace.turn(signal);
        return await client.measured(request);
      },
    };
  }

  /** Hands over each object. Resolves with the problem if the list could not be read whole. */
  async read(
    { kind, namespace, fieldSelector }: ListToRead,
    take: (object: KubernetesObject) => void,
  ): Promise<string | undefined> {
    const backoff = new Backoff(PAUSES, this.#random);
    const query = fieldSelector === undefined ? {} : { fieldSelector };
    const path = collectionOf(kind, namespace);
    const request = { method: 'GET', path, query, reduce: reduceList, signal: this.#signal } as const;
    for (let attempt = 1; ; attempt++) {
      try {
        await new PagedList(this.#client).forEachPage(request, ({ items }) => {
          for (const item of items) if (!this.#signal.aborted) take(item);
        });
        return undefined;
      } catch (error) {
        if (this.#signal.aborted) return 'stopped';
        if (attempt === MOST_ATTEMPTS || !mayPass(error)) return messageOf(error);
        const asked = error instanceof ApiError ? Math.min(error.retryAfterMilliseconds, LONGEST_RETRY_AFTER) : 0;
        await sleep(Math.max(asked, backoff.next()), undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }
}

/** A page that has expired (410), an API server that is busy, broken or away. A missing right stays missing. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return hasCode(error, 410) || error.code === 429 || error.code >= 500;
}
