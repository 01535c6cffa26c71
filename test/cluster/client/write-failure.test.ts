import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { writeFailure } from '../../../src/cluster/client/write-failure.ts';

describe('a write that is refused', () => {
  it.each([
    [
      'because an admission webhook rejects one object',
      'admission webhook "a.example.com" denied the request: no',
      'refused',
    ],
    ['for lack of rights', 'User "probewright" cannot patch resource "probepolicies/status"', 'unavailable'],
  ])('%s', (_, message, failure) =>
    expect(writeFailure(new ApiError(403, 'Forbidden', `PATCH /x: HTTP 403 Forbidden: ${message}`))).toBe(failure),
  );
});
