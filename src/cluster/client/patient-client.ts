import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerTooLarge, ApiClient, ApiError, type ApiRequest } from './api-client.ts';
import { Backoff } from './timing.ts';
import type { ClusterAccess } from './cluster-access.ts';

export const MOST_ATTEMPTS = 5;
/** The pauses between attempts. The API server's `Retry-After` may ask for longer ones. */
const PAUSES = { minimum: 250, maximum: 4000 };
/** An API server that asks for a longer pause counts as failed: a person waits for this command. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

export interface Patience {
  readonly random: () => number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

const REAL_PATIENCE: Patience = { random: Math.random, pause: (milliseconds) => sleep(milliseconds) };

/** A client for commands, which read once. It sends again after HTTP 429, HTTP 5xx, and broken connections. */
export class PatientClient extends ApiClient {
  readonly #patience: Patience;
  #hasAnswered = false;

  constructor(access: ClusterAccess, userAgent: string, patience: Patience = REAL_PATIENCE) {
    super(access, userAgent);
    this.#patience = patience;
  }

  override async measured(request: ApiRequest): Promise<{ readonly body: unknown; readonly bytes: number }> {
    const backoff = new Backoff(PAUSES, this.#patience.random);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await super.measured(request);
        this.#hasAnswered = true;
        return answer;
      } catch (error) {
        const asked = error instanceof ApiError ? error.retryAfterMilliseconds : 0;
        const mayRetry = attempt < MOST_ATTEMPTS && asked <= LONGEST_PAUSE_MILLISECONDS;
        if (!mayRetry || !this.#isPassing(error)) throw error;
        await this.#patience.pause(Math.max(asked, backoff.next()));
      }
    }
  }

  #isPassing(error: unknown): boolean {
    if (error instanceof ApiError) {
      this.#hasAnswered = true;
      return error.code === 429 || error.code >= 500;
    }
    // A server that never answered is probably the wrong one, and a person waits.
    return this.#hasAnswered && !(error instanceof AnswerTooLarge);
  }
}
