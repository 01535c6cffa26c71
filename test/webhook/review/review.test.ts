import { describe, expect, it } from 'vitest';
import { decodeReview } from '../../../src/webhook/review/review.ts';
import { pod, reviewOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const review = reviewOf(pod([]));
const { request } = review;
/** The review with other members of its request. Undefined removes one, as JSON does. */
const having = (members: JsonObject): unknown =>
  JSON.parse(JSON.stringify({ ...review, request: { ...request, ...members } }));

describe('a review', () => {
  it('is read with what a decision needs', () => {
    expect(decodeReview(review)).toMatchObject({
      request: {
        uid: request['uid'],
        operation: 'CREATE',
        kind: { group: '', version: 'v1', kind: 'Pod' },
        object: request['object'],
        dryRun: false,
      },
    });
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'the body must be an AdmissionReview object, not null'],
    ['an array', [], 'the body must be an AdmissionReview object, not an array'],
    ['another kind', { ...review, kind: 'Pod' }, 'kind must be AdmissionReview, not "Pod"'],
    ['no version', { ...review, apiVersion: undefined }, 'apiVersion must be admission.k8s.io/v1, not absent'],
    ['no request', { ...review, request: undefined }, 'request must be an object, not absent'],
    ['no uid', having({ uid: undefined }), 'request.uid must be a string, not absent'],
    ['an empty uid', having({ uid: '' }), 'request.uid must be a string, not ""'],
    ['no kind', having({ kind: undefined }), 'request.kind must be an object, not absent'],
    ['a kind without a name', having({ kind: { kind: 1 } }), 'request.kind.kind must be a string, not 1'],
    ['no operation', having({ operation: true }), 'request.operation must be a string, not true'],
    ['a text for an object', having({ object: 'x' }), 'request.object must be an object or null, not a string'],
    [
      'a list for an old object',
      having({ oldObject: [] }),
      'request.oldObject must be an object or null, not an array',
    ],
    [
      'no object at a creation',
      having({ object: null }),
      'request.object must be an object when request.operation is CREATE',
    ],
    [
      'no object at an update',
      having({ object: null, operation: 'UPDATE' }),
      'request.object must be an object when request.operation is UPDATE',
    ],
    ['a long uid', having({ uid: 'a'.repeat(254) }), 'request.uid must not be longer than 253 characters, not 254'],
    [
      'a long namespace',
      having({ namespace: 'a'.repeat(254) }),
      'request.namespace must not be longer than 253 characters, not 254',
    ],
  ])('is refused with %s', (_, body, problem) => {
    expect(decodeReview(body)).toEqual({ problem });
  });

  it.each<[string, JsonObject]>([
    ['the longest names', { uid: 'a'.repeat(253), namespace: 'a'.repeat(253) }],
    ['no object at a deletion', { object: null, operation: 'DELETE' }],
  ])('is read with %s', (_, members) => {
    expect(decodeReview(having(members)).problem).toBeUndefined();
  });

  describe('whose end was not read', () => {
    const unread = 'the body is too long';

    it('has a whole object when a part of the old one was read, and the part counts for nothing', () => {
      expect(decodeReview(having({ oldObject: { spec: {} } }), unread)).toMatchObject({
        request: { object: request['object'], oldObject: undefined, unread: undefined },
      });
    });

    it('has an unread object when the object comes last', () => {
      const { object, ...others } = request;
      const last = { ...review, request: { ...others, object } };
      expect(decodeReview(last, unread)).toMatchObject({ request: { unread } });
    });

    it('counts as the creation of an empty Pod when nothing was read', () => {
      expect(decodeReview({}, unread)).toEqual({
        request: {
          ...{ uid: '', operation: 'CREATE', name: '', namespace: '', subResource: '', userName: '' },
          kind: { group: '', version: '', kind: 'Pod' },
          ...{ object: {}, oldObject: undefined, dryRun: false, unread },
        },
      });
    });

    it('has no object when it is a deletion without one', () => {
      const decoded = decodeReview({ request: { operation: 'DELETE' } }, unread);
      expect(decoded).toMatchObject({ request: { operation: 'DELETE', object: undefined } });
    });

    it('has a uid and a namespace of at most 253 characters', () => {
      const long = { request: { uid: 'a'.repeat(254), namespace: 'b'.repeat(254) } };
      const cut = { uid: 'a'.repeat(253), namespace: 'b'.repeat(253) };
      expect(decodeReview(long, unread)).toMatchObject({ request: cut });
    });
  });
});
