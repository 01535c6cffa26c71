import { ApiError, hasCode } from '../cluster/client/api-client.ts';

/** The longest Retry-After that is obeyed, in milliseconds. */
const LONGEST_RETRY_AFTER = 60_000;

/** The answer to a request; undefined for HTTP 404. */
export async function unlessMissing(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 404)) return undefined;
    throw error;
  }
}

/** True when the API server cannot be reached, or takes no request now. */
export function isUnavailable(error: unknown): boolean {
  return !(error instanceof ApiError) || [401, 408, 429, 502, 503, 504].includes(error.code);
}

/** How long to wait before another attempt, in milliseconds: the own pause, or longer if the API server asks for it. */
export function pauseAfter(error: unknown, own: number): number {
  return Math.max(error instanceof ApiError ? Math.min(error.retryAfterMilliseconds, LONGEST_RETRY_AFTER) : 0, own);
}
