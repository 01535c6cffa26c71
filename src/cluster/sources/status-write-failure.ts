import { ApiError } from '../client/api-error.ts';

/**
 * The meaning of a failed write to an object's status.
 *
 * - `unavailable`: no write would succeed now. The API server is away, is overloaded, or forbids the write.
 * - `changed`: the object has changed meanwhile. The watch is about to report the change.
 * - `gone`: there is no such object, or it has no status subresource.
 * - `too-large`: the object with this status is larger than etcd or the API server takes.
 * - `refused`: the same write to this object would be refused again.
 * - `failed`: the API server answered with an error. The cause may be the object or the server.
 */
export type StatusWriteFailure = 'unavailable' | 'changed' | 'gone' | 'too-large' | 'refused' | 'failed';

const UNAVAILABLE: readonly number[] = [401, 403, 408, 429, 502, 503, 504];
const GONE: readonly number[] = [404, 410];
/**
 * The messages of etcd and its client about objects over their limits of 1.5 MiB and 2 MiB. The API server answers them
 * with HTTP 500.
 */
const TOO_LARGE = /request is too large|larger than max/;

/** The API server's message when an admission webhook rejects an object, mostly with HTTP 403. */
const REJECTED = /admission webhook "[^"]*" denied the request/;

export function statusWriteFailure(error: unknown): StatusWriteFailure {
  if (!(error instanceof ApiError)) return 'unavailable';
  const { code, message } = error;
  if (code === 403 && REJECTED.test(message)) return 'refused';
  if (UNAVAILABLE.includes(code)) return 'unavailable';
  if (GONE.includes(code)) return 'gone';
  if (code === 409) return 'changed';
  if (code === 413 || TOO_LARGE.test(message)) return 'too-large';
  return code >= 400 && code < 500 ? 'refused' : 'failed';
}
