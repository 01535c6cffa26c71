import type { Address } from '../../process/addresses.ts';
import type { Webhook } from './metrics.ts';

/** A review that has been received. */
export interface ReceivedReview {
  readonly webhook: Webhook;
  /** The API server's `?timeout=`. */
  readonly timeout: unknown;
  /** The arrival time of the first byte, by the monotonic clock. */
  readonly arrival: number;
  /** True if other requests of the same connection wait for this answer, and hold memory. */
  readonly isWaitedFor: boolean;
  readonly address: Address;
  /** Whether the client has disconnected. */
  isAbandoned(): boolean;
  /**
   * Called when the review starts to wait for its namespace. Other reviews of the same address may be read during the
   * wait.
   */
  setAside(): void;
  /** Takes the JSON text of the reply, or an error. An error without a `statusCode` is internal. Called once. */
  answer(outcome: string | Error): void;
}
