import { describe, expect, it } from 'vitest';
import { allowed, denied } from '../../../src/webhook/review/response.ts';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';
import { expectValidReply } from '../../support/protocol.ts';

const warningsOf = (warnings: string[]): readonly string[] =>
  expectValidReply('validate', 'u', allowed('u', { warnings })).warnings;

describe('warnings', () => {
  it('show their control characters as escapes, as the API server would drop such a warning', () => {
    expect(warningsOf(['a\nb\u0000c\u2028d\u009be\u202e'])).toEqual(['a\\nb\\u0000c\\u2028d\\u009be\\u202e']);
    expect(warningsOf(['lone \ud800 surrogate'])).toEqual(['lone \\ud800 surrogate']);
  });

  it('are each said once, and at most eight of them', () => {
    expect(warningsOf(['a', 'a'])).toEqual(['a']);
    expect(warningsOf(Array.from({ length: 20 }, (_, index) => `warning ${index}`)).at(-1)).toBe('and 12 more');
  });

  it('are whole while there is room, and otherwise cut to 256 characters with the check id kept', () => {
    const long = `${'x'.repeat(1000)} (named-port)`;
    expect(warningsOf([long])).toEqual([long]);
    const many = warningsOf(Array.from({ length: 8 }, (_, index) => `${index}${long}`));
    expect(many.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => 256));
    expect(many.every((warning) => warning.endsWith('... (named-port)'))).toBe(true);
  });
});

it('a plain answer has nothing but the uid and allowed', () =>
  expect(allowed('u')).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true },
  }));

it('a denial has a message of one line a violation and the causes, and no warnings', () => {
  const violation = {
    check: 'named-port',
    action: 'Deny',
    container: 'app',
    path: ['spec', 'x'],
    message: 'two\nlines',
  } as const;
  const reply = denied('u', [violation, { ...violation, reason: 'FieldValueInvalid' }], { violations: 'x' });
  expectValidReply('validate', 'u', reply);
  expect(reply.response).toEqual({
    uid: 'u',
    allowed: false,
    status: {
      code: 403,
      reason: 'Forbidden',
      message: 'spec.x: two\\nlines (named-port)\nspec.x: two\\nlines (named-port)',
      details: {
        causes: [
          { reason: 'FieldValueForbidden', field: 'spec.x', message: 'two\\nlines (named-port)' },
          { reason: 'FieldValueInvalid', field: 'spec.x', message: 'two\\nlines (named-port)' },
        ],
      },
    },
    auditAnnotations: { violations: 'x' },
  });
});

it('no text of a reply commands the terminal of the user who is shown it', () => {
  const violation = {
    check: 'named-port',
    action: 'Deny',
    container: HOSTILE,
    path: [HOSTILE],
    message: HOSTILE,
  } as const;
  const { status, auditAnnotations } = denied('u', [violation], { violations: HOSTILE }).response;
  const causes = status?.details.causes.flatMap(({ field, message }) => [field, message]) ?? [];
  const { warnings = [] } = allowed('u', { warnings: [HOSTILE], auditAnnotations: { injected: HOSTILE } }).response;
  for (const text of [status?.message, ...causes, ...Object.values(auditAnnotations ?? {}), ...warnings]) {
    expect(text).not.toContain('\n');
    expectHarmless(`: ${text ?? ''}`);
  }
});
