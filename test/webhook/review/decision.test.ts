import { expect, it } from 'vitest';
import { skip } from '../../../src/webhook/review/decision.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, pod, requestOf, reviewOf } from '../../support/worlds.ts';

it('a skipped request is allowed without a patch or a warning, and the reason is kept', () => {
  const request = requestOf(reviewOf(pod([appContainer()])));
  const { reply, ...rest } = skip(request, 'subresource');
  expect(rest).toEqual({ result: 'skip', skipped: 'subresource' });
  expect(expectValidReply('validate', request.uid, reply)).toMatchObject({ allowed: true, warnings: [] });
});
