import { expect, it } from 'vitest';
import { skip, withEffect, withWarnings } from '../../../src/webhook/review/decision.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { appContainer, pod, requestOf, reviewOf } from '../../support/worlds.ts';

const request = requestOf(reviewOf(pod([appContainer()])));

it('a skipped request is allowed without a patch or a warning, and the reason is kept', () => {
  const { reply, ...rest } = skip(request, 'subresource');
  expect(rest).toEqual({ result: 'skip', skipped: 'subresource' });
  expect(expectValidReply('validate', request.uid, reply)).toMatchObject({ allowed: true, warnings: [] });
});

it('the effect of a policy comes before the advice, because a reply has room for few warnings', () => {
  const decision = withWarnings(request, []);
  const first = withEffect(request, decision, ['b']);
  const { reply, result } = withEffect(request, first, ['a']);
  expect({ result, warnings: reply.response.warnings }).toEqual({ result: 'warn', warnings: ['a', 'b'] });
  expect(withEffect(request, decision, [])).toBe(decision);
});
