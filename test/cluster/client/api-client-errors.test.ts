import { describe, expect, it } from 'vitest';
import { ApiError, hasCode, isUnavailable, unlessMissing } from '../../../src/cluster/client/api-client.ts';

const refused = (code: number): ApiError => new ApiError(code, '', `HTTP ${code}`);

describe('the error of an answer', () => {
  it('has the reason and the message of a Status, and the code of the answer', () => {
    const body = JSON.stringify({ kind: 'Status', code: 400, reason: 'Conflict', message: 'too late' });
    const { code, reason, message, name } = ApiError.fromBody(409, body, 'PUT /x');
    expect([code, reason, message, name]).toEqual([409, 'Conflict', 'PUT /x: HTTP 409 Conflict: too late', 'ApiError']);
  });

  it.each([
    ['{"kind":"Pod"}', 'GET /x: HTTP 502: {"kind":"Pod"}'],
    ['', 'GET /x: HTTP 502'],
    ['[1]', 'GET /x: HTTP 502: [1]'],
    ['x'.repeat(300), `GET /x: HTTP 502: ${'x'.repeat(197)}...`],
  ])('has the beginning of another body: %s', (body, message) => {
    const error = ApiError.fromBody(502, body, 'GET /x');
    expect([error.code, error.reason, error.message]).toEqual([502, '', message]);
  });

  it.each([
    ['7', 7000],
    ['0', 0],
    [undefined, 0],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 0],
    ['-1', 0],
  ])('says with Retry-After %s to wait %i ms', (retryAfter, wait) => {
    expect(ApiError.fromBody(429, '', 'GET /x', retryAfter).retryAfterMilliseconds).toBe(wait);
    expect(ApiError.fromBody(429, '{"kind":"Status"}', 'GET /x', retryAfter).retryAfterMilliseconds).toBe(wait);
  });

  it('of a Status without a code counts as one of the server', () => {
    const { code, message } = ApiError.fromStatus({}, 'WATCH /x');
    expect([code, message]).toEqual([500, 'WATCH /x: HTTP 500 : no message']);
    expect(ApiError.fromStatus({ code: 410 }, 'WATCH /x')).toMatchObject({ code: 410, retryAfterMilliseconds: 0 });
  });
});

it('an error has a code when the API server refused with it', () =>
  expect([hasCode(refused(404), 404), hasCode(refused(404), 409), hasCode({ code: 404 }, 404)]).toEqual([
    true,
    false,
    false,
  ]));

it('what is missing is undefined, and all else is as it was', async () => {
  expect(await unlessMissing(Promise.resolve(3))).toBe(3);
  expect(await unlessMissing(Promise.reject(refused(404)))).toBeUndefined();
  await expect(unlessMissing(Promise.reject(refused(403)))).rejects.toThrow('HTTP 403');
});

it.each<[boolean, unknown]>([
  [true, new Error('reset')],
  ...[401, 408, 429, 502, 503, 504].map((code) => [true, refused(code)] as [boolean, unknown]),
  ...[400, 403, 404, 409, 422, 500].map((code) => [false, refused(code)] as [boolean, unknown]),
])('an API server is unavailable: %s after %s', (isAway, error) => expect(isUnavailable(error)).toBe(isAway));
