import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allowed, denied } from '../../../src/webhook/review/response.ts';
import { replyText } from '../../../src/webhook/http/reply-text.ts';
import type { AdmissionReviewReply } from '../../../src/webhook/review/response.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });
const patch = fc.array(fc.record({ op: fc.constant('add' as const), path: text, value: text }), { maxLength: 3 });
const texts = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { maxKeys: 3 });
const replies: fc.Arbitrary<AdmissionReviewReply> = fc.oneof(
  fc
    .record({ uid: text, patch, warnings: fc.array(text, { maxLength: 3 }), auditAnnotations: texts })
    .map(({ uid, ...verdict }) => allowed(uid, verdict)),
  fc
    .record({ uid: text, message: text, auditAnnotations: texts })
    .map(({ uid, message, auditAnnotations }) =>
      denied(
        uid,
        [{ check: 'named-port', action: 'Deny', container: 'app', path: ['spec'], message }],
        auditAnnotations,
      ),
    ),
);

it('the text of a reply is JSON with every member of the reply', () => {
  fc.assert(
    fc.property(replies, (reply) => {
      expect(JSON.parse(replyText(reply))).toEqual(JSON.parse(JSON.stringify(reply)));
    }),
  );
});

it('the text of a reply with a patch holds patch, patchType, warnings and annotations', () => {
  const reply = allowed('u', {
    patch: [{ op: 'add', path: '/a', value: 'é' }],
    warnings: ['w'],
    auditAnnotations: { a: 'b' },
  });
  expect(JSON.parse(replyText(reply))).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: 'u',
      allowed: true,
      patch: Buffer.from('[{"op":"add","path":"/a","value":"é"}]').toString('base64'),
      patchType: 'JSONPatch',
      warnings: ['w'],
      auditAnnotations: { a: 'b' },
    },
  });
});
