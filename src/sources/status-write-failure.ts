import { ApiError } from '../kubernetes/api-error.ts';

/**
 * What the failure of a write to an object's status means.
 *
 * - `unavailable`: no write would succeed now. The API server is away, has too much to do, or does not let us.
 * - `changed`: the object has changed meanwhile; an event is still to come.
 * - `gone`: there is no such object, or it has no status subresource.
 * - `too-large`: the object with this status is larger than etcd or the API server takes.
 * - `refused`: the same write to this object would be refused again.
 * - `failed`: the API server could not do it. It may be the object, it may be the server.
 */
export type StatusWriteFailure = 'unavailable' | 'changed' | 'gone' | 'too-large' | 'refused' | 'failed';

const UNAVAILABLE: readonly number[] = [401, 403, 408, 429, 502, 503, 504];
const GONE: readonly number[] = [404, 410];
/** What etcd and its client say of objects over their limits of 1.5 MiB and 2 MiB; the API server passes it on with HTTP 500. */
const TOO_LARGE = /request is too large|larger than max/;

/** What the API server says, mostly with HTTP 403, when an admission webhook rejects one object. */
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
