import { expect, it } from 'vitest';
import { failureStatus, httpError } from '../../../src/webhook/http/status.ts';
import { HOSTILE, expectHarmless } from '../../support/hostile-text.ts';

it.each([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [408, 'Timeout'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [418, 'Unknown'],
])('HTTP %i is a Status of the API with reason %s', (code, reason) =>
  expect(failureStatus(code, 'no')).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'probewright: no',
    reason,
    code,
  }),
);

it('the message of a Status commands no terminal', () => expectHarmless(failureStatus(400, HOSTILE).message));

it('an error of the server has its status code', () => {
  const error = httpError(413, 'too long');
  expect([error instanceof Error, error.message, error.statusCode]).toEqual([true, 'too long', 413]);
});
