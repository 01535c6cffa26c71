import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { writeFailure } from '../../../src/cluster/client/write-failure.ts';

const answer = (code: number, message = ''): ApiError =>
  new ApiError(code, 'Reason', `PATCH /x: HTTP ${code} Reason: ${message}`);

describe('a write that fails', () => {
  it.each([
    [403, 'admission webhook "a.example.com" denied the request: no', 'refused'],
    [403, 'User "probewright" cannot patch resource "probepolicies/status"', 'unavailable'],
    [404, '', 'gone'],
    [410, '', 'gone'],
    [409, '', 'changed'],
    [413, '', 'too-large'],
    [500, 'etcdserver: request is too large', 'too-large'],
    [500, 'trying to send message larger than max (3 vs. 2)', 'too-large'],
    [400, '', 'refused'],
    [422, '', 'refused'],
    [499, '', 'refused'],
    [501, '', 'failed'],
  ])('with HTTP %i "%s" is %s', (code, message, failure) => expect(writeFailure(answer(code, message))).toBe(failure));

  it('without an answer would fail for every object', () =>
    expect(writeFailure(new Error('connect ECONNREFUSED'))).toBe('unavailable'));
});
