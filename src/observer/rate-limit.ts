import { ApiError } from '../cluster/client/api-client.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Spaces requests, so that at most so many begin in a second. Each turn waits for the turn before it. */
export class RateLimiter {
  readonly #intervalMilliseconds: number;
  readonly #monotonic: () => number;
  #next = 0;

  constructor(perSecond: number, monotonic: () => number) {
    this.#intervalMilliseconds = 1000 / perSecond;
    this.#monotonic = monotonic;
  }

  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#intervalMilliseconds;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal.throwIfAborted();
  }
}

/** True when the API server cannot be reached, or takes no request now. */
export function isUnavailable(error: unknown): boolean {
  return !(error instanceof ApiError) || [401, 408, 429, 502, 503, 504].includes(error.code);
}

/** The longest Retry-After that is obeyed, in milliseconds. */
const LONGEST_RETRY_AFTER = 60_000;

/** How long to wait before another attempt, in milliseconds: the own pause, or longer if the API server asks for it. */
export function pauseAfter(error: unknown, own: number): number {
  return Math.max(error instanceof ApiError ? Math.min(error.retryAfterMilliseconds, LONGEST_RETRY_AFTER) : 0, own);
}
