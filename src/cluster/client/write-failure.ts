import { ApiError, isUnavailable } from './api-client.ts';

/**
 * The meaning of a failed write. - `unavailable`: no write would succeed now. - `changed`: the watch is about to
 * report a change of the object. - `gone`: no such object, or it has no status subresource. - `refused`: the same
 * write would be refused again. - `failed`: the cause may be the object or the server.
 */
export type WriteFailure = 'unavailable' | 'changed' | 'gone' | 'too-large' | 'refused' | 'failed';

const GONE: readonly number[] = [404, 410];
/** Messages of etcd and its client about objects over 1.5 MiB and 2 MiB. The API server answers them with HTTP 500. */
const TOO_LARGE = /request is too large|larger than max/;
/** The API server's message when an admission webhook rejects an object, mostly with HTTP 403. */
const REJECTED = /admission webhook "[^"]*" denied the request/;

export function writeFailure(error: unknown): WriteFailure {
  if (!(error instanceof ApiError) || isUnavailable(error)) return 'unavailable';
  const { code, message } = error;
  if (code === 403) return REJECTED.test(message) ? 'refused' : 'unavailable';
  if (GONE.includes(code)) return 'gone';
  if (code === 409) return 'changed';
  if (code === 413 || TOO_LARGE.test(message)) return 'too-large';
  return code >= 400 && code < 500 ? 'refused' : 'failed';
}
