import { expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-error.ts';
import { statusWriteFailure } from '../../../src/cluster/sources/status-write-failure.ts';

it('of one object that an admission webhook rejects does not keep other objects waiting', () => {
  const message = 'PATCH /x: HTTP 403 Forbidden: admission webhook "policy.example.com" denied the request: no';
  expect(statusWriteFailure(new ApiError(403, 'Forbidden', message))).toBe('refused');
});

it('for lack of rights holds for all objects', () => {
  const message = 'PATCH /x: HTTP 403 Forbidden: User "probewright" cannot patch resource "probepolicies/status"';
  expect(statusWriteFailure(new ApiError(403, 'Forbidden', message))).toBe('unavailable');
});
