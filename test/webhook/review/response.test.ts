import { describe, expect, it } from 'vitest';
import {
  allowed,
  auditText,
  denied,
  invalid,
  violationAnnotation,
  withContact,
  wouldBeAnnotation,
} from '../../../src/webhook/review/response.ts';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';
import { expectValidReply } from '../../support/protocol.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

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

it('eight warnings of 3,500 characters together are whole, and with one more character each is cut', () => {
  const warnings = Array.from({ length: 8 }, (_, index) => `${index}`.padEnd(index === 0 ? 350 : 450, 'x'));
  expect(warningsOf(warnings)).toEqual(warnings);
  expect(warningsOf([...warnings.slice(0, 7), `${warnings[7] ?? ''}x`]).map(({ length }) => length)).toEqual(
    Array.from({ length: 8 }, () => 256),
  );
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

const violationOf = (more: Partial<Violation> = {}): Violation => ({
  check: 'named-port',
  action: 'Deny',
  container: 'app',
  path: ['spec'],
  message: 'no',
  ...more,
});

describe('the message of a denial', () => {
  const messageOf = (...[violations, ways]: [Violation[], string[]?]): string[] =>
    denied('u', violations, {}, ways).response.status?.message.split('\n') ?? [];

  it('ends with the ways out', () => {
    const line = 'spec: no (named-port)';
    expect(messageOf([violationOf()])).toEqual([line]);
    expect(messageOf([violationOf()], ['read', 'type'])).toEqual([line, 'read', 'type']);
  });

  it('has 1,000 violations, and the number of the others', () => {
    const many = (count: number): Violation[] => Array.from({ length: count }, () => violationOf());
    expect(messageOf(many(1000))).toHaveLength(1000);
    expect(messageOf(many(1002)).slice(-2)).toEqual(['spec: no (named-port)', 'and 2 more violations']);
    expect(denied('u', many(1002), {}).response.status?.details.causes).toHaveLength(1000);
  });

  it('ends with the violation that takes it beyond 256 KiB', () => {
    const long = violationOf({ message: 'x'.repeat(64 * 1024 - 'spec'.length) });
    expect(messageOf([long, long, long, long])).toHaveLength(4);
    expect(messageOf([long, long, long, long, long])).toEqual([
      ...messageOf([long, long, long, long]),
      'and 1 more violations',
    ]);
    const shorter = violationOf({ message: 'x'.repeat(64 * 1024 - 'spec'.length - 1) });
    expect(messageOf([shorter, long, long, long, long])).toHaveLength(5);
  });

  it('has the sentence of the platform as its last line, and an allowed request has none', () => {
    const contact = withContact(denied('u', [violationOf()], {}), 'Ask #platform.').response.status;
    expect(contact?.message.split('\n').at(-1)).toBe('Ask #platform.');
    expect(contact?.code).toBe(403);
    expect(withContact(allowed('u'), 'Ask #platform.')).toEqual(allowed('u'));
  });
});

it('an object that cannot be read is invalid', () =>
  expect(invalid('u', 'no', []).response).toEqual({
    uid: 'u',
    allowed: false,
    status: { code: 422, reason: 'Invalid', message: 'no', details: { causes: [] } },
  }));

describe('the audit annotation of violations', () => {
  const exception = { name: 'legacy', owner: 'team-a', expires: '2027-01-31T00:00:00Z' };
  const excepted = violationOf({ probe: 'livenessProbe', action: 'Excepted', exception } as Partial<Violation>);

  it('names check, place, action and exception of each', () => {
    expect(violationAnnotation([])).toEqual({});
    expect(violationAnnotation([excepted, violationOf()])).toEqual({
      violations:
        'named-port app.livenessProbe Excepted by legacy (team-a) until 2027-01-31T00:00:00Z; named-port app Deny',
    });
  });

  it('has the actions of the top rung only where they differ', () => {
    const audited = violationOf({ action: 'Audit' });
    expect(wouldBeAnnotation([audited], [audited])).toEqual({});
    expect(wouldBeAnnotation([audited], [violationOf()])).toEqual({ 'would-be': 'named-port app Deny' });
    expect(wouldBeAnnotation([audited], [])).toEqual({ 'would-be': 'none' });
  });

  it('has at most a hundred entries and 1,024 characters', () => {
    const entries = Array.from({ length: 101 }, (_, index) => index);
    expect(auditText(entries, String)).toBe(entries.slice(0, 100).join('; '));
    const annotation = (length: number): string | undefined =>
      allowed('u', { auditAnnotations: { injected: 'x'.repeat(length) } }).response.auditAnnotations?.['injected'];
    expect([annotation(1024)?.length, annotation(1025)?.length]).toEqual([1024, 1024]);
    expect(annotation(1025)).not.toBe('x'.repeat(1024));
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
