import { describe, expect, it } from 'vitest';
import {
  ADVICE_BOUNDS,
  shownStatus,
  statusPatch,
  type PolicyVerdict,
  type ShownStatus,
} from '../../../src/cluster/sources/policy-status.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';

const NOON = Date.parse('2026-01-01T12:00:00.789Z');
const accepted: PolicyVerdict = { generation: 3, problems: [], good: 3 };
const broken: PolicyVerdict = {
  generation: 4,
  problems: ['spec.port: must be at most 65535, not 70000', 'spec.contaners: unknown field'],
  good: 3,
};

/** True when there is nothing to write. */
function isShown(shown: ShownStatus, verdict: PolicyVerdict): boolean {
  return statusPatch(shown, verdict, NOON) === undefined;
}

interface Status {
  observedGeneration: number;
  conditions: Record<string, unknown>[];
}
const merged = (patch: object | undefined): Status => (patch as { status: Status }).status;
const message = (verdict: PolicyVerdict): string => {
  const body = statusPatch(shownStatus({}), { ...verdict, good: undefined }, NOON);
  return String(merged(body).conditions[0]?.['message']);
};

describe('the status of a policy', () => {
  describeCases('test/fixtures/policy-statuses.yaml', ['patch', 'isShown'], ({ verdict, shown }) => {
    const given = verdict as PolicyVerdict;
    const patch = statusPatch(shownStatus(shown), given, NOON);
    // What is written is then at rest; a merge patch removes a member with null.
    const written = patch && Object.fromEntries(Object.entries(merged(patch)).filter(([, value]) => value !== null));
    if (written) expect(isShown(shownStatus(written), given)).toBe(true);
    return { patch: patch && merged(patch), isShown: isShown(shownStatus(shown), given) };
  });

  it('stays below a bound: what has no room is counted, and a single long problem is cut', () => {
    const many = message({
      ...broken,
      problems: Array.from({ length: 100 }, (_, index) => `spec.x${index}: bad thing`),
    });
    expect(many.length).toBeLessThanOrEqual(1024);
    const listed = many.split('; ').filter((part) => part.endsWith('bad thing')).length;
    expect(many).toMatch(new RegExp(`; and ${100 - listed} more$`));
    const long = message({ ...broken, problems: ['x'.repeat(5000), 'y'] });
    expect(long.length).toBeLessThanOrEqual(1024);
    expect(long).toMatch(/x\.\.\.; and 1 more$/);
    expect(message({ ...broken, problems: ['short', 'y'.repeat(5000)] })).toBe(
      'no version is in force: short; and 1 more',
    );
  });
});

describe('a status that says what it should', () => {
  it.each([
    ['in force', accepted],
    ['last good', broken],
    ['invalid', { ...broken, good: undefined }],
  ])('is left alone: %s', (_, verdict) => {
    const status = merged(statusPatch(shownStatus({}), verdict, NOON));
    expect(isShown(shownStatus(status), verdict)).toBe(true);
    expect(statusPatch(shownStatus(status), verdict, NOON + 5000)).toBeUndefined();
    // Each of these is another thing to say.
    for (const other of [
      { ...verdict, generation: 9 },
      { ...verdict, problems: ['other'] },
    ])
      expect(isShown(shownStatus(status), other)).toBe(false);
  });
});

it('the message of a status commands no terminal, however long the problems are', () => {
  const text = message({ ...broken, problems: [`spec.${HOSTILE}: unknown field`, HOSTILE.repeat(100)] });
  expect(text).toContain('\\u001b');
  expect(text.length).toBeLessThanOrEqual(1024);
  expectHarmless(text);
});

const entry = {
  check: 'timeout-over-period',
  field: 'spec.probes.livenessProbe.timeoutSeconds',
  message: 'too long',
};

it('the texts of advice are cut at the bounds of the CRDs', () => {
  const texts = (length: number): unknown => {
    const advice = [{ check: 'c'.repeat(length), field: 'f'.repeat(length), message: 'm'.repeat(length) }];
    return merged(statusPatch(shownStatus(undefined), { ...accepted, advice }, NOON));
  };
  expect(ADVICE_BOUNDS).toEqual({ entries: 20, check: 63, field: 253, message: 1024 });
  expect(texts(2000)).toMatchObject({
    adviceCount: 1,
    advice: [{ check: `${'c'.repeat(60)}...`, field: `${'f'.repeat(250)}...`, message: `${'m'.repeat(1021)}...` }],
  });
  expect(texts(63)).toMatchObject({ advice: [{ check: 'c'.repeat(63), field: 'f'.repeat(63) }] });
});

it('the advice about a policy has bounds, and the count has none', () => {
  const many = Array.from({ length: 30 }, () => ({ ...entry, message: HOSTILE.repeat(50) }));
  const status = merged(statusPatch(shownStatus(undefined), { ...accepted, advice: many }, NOON)) as unknown as {
    adviceCount: number;
    advice: { message: string }[];
  };
  expect([status.adviceCount, status.advice.length]).toEqual([30, 20]);
  expect(Math.max(...status.advice.map(({ message: text }) => text.length))).toBeLessThanOrEqual(1024);
  for (const { message: text } of status.advice) expectHarmless(text);
  expect(isShown(shownStatus(status), { ...accepted, advice: many })).toBe(true);
});
