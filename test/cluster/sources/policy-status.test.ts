import { describe, expect, it } from 'vitest';
import { isShown, shownStatus, statusPatch, type PolicyVerdict } from '../../../src/cluster/sources/policy-status.ts';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';

const NOON = Date.parse('2026-01-01T12:00:00.789Z');
const EARLIER = '2025-12-24T00:00:00Z';
const accepted: PolicyVerdict = { generation: 3, problems: [], good: 3 };
const broken: PolicyVerdict = {
  generation: 4,
  problems: ['spec.port: must be at most 65535, not 70000', 'spec.contaners: unknown field'],
  good: 3,
};

interface Status {
  observedGeneration: number;
  conditions: Record<string, unknown>[];
}
const merged = (patch: object | undefined): Status => (patch as { status: Status }).status;
const condition = (fields: Record<string, unknown>): Record<string, unknown> => ({
  type: 'Ready',
  status: 'True',
  reason: 'Accepted',
  message: 'in force',
  lastTransitionTime: EARLIER,
  ...fields,
});
const message = (verdict: PolicyVerdict): string => {
  const body = statusPatch(shownStatus({}), { ...verdict, good: undefined }, NOON);
  return String(merged(body).conditions[0]?.['message']);
};

describe('the status of a policy that is in force', () => {
  it('is Ready, for the generation that was read', () =>
    expect(merged(statusPatch(shownStatus(undefined), accepted, NOON))).toEqual({
      observedGeneration: 3,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Accepted',
          message: 'in force',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
      ],
    }));

  it('keeps the time since when it has been so, and takes the new generation', () => {
    const shown = shownStatus({ observedGeneration: 2, conditions: [condition({})] });
    expect(merged(statusPatch(shown, accepted, NOON))).toMatchObject({
      observedGeneration: 3,
      conditions: [{ observedGeneration: 3, lastTransitionTime: EARLIER }],
    });
  });
});

describe('the status of a policy that is in force with warnings', () => {
  const warned: PolicyVerdict = { ...accepted, warnings: ['spec.probes.startupProbe: {} says nothing'] };

  it('is Ready, and the message lists the warnings', () => {
    expect(merged(statusPatch(shownStatus(undefined), warned, NOON)).conditions).toMatchObject([
      {
        status: 'True',
        reason: 'AcceptedWithWarnings',
        message: 'in force, with a warning: spec.probes.startupProbe: {} says nothing',
      },
    ]);
    expect(message({ ...warned, warnings: ['one', 'two'] })).toBe('in force, with warnings: one; two');
  });

  it('is written when a policy that is Ready gets a warning, keeps the time since when it is Ready, and is then at rest', () => {
    const shown = shownStatus({ observedGeneration: 3, conditions: [condition({})] });
    const status = merged(statusPatch(shown, warned, NOON));
    expect(status.conditions).toMatchObject([{ reason: 'AcceptedWithWarnings', lastTransitionTime: EARLIER }]);
    expect(isShown(shownStatus(status), warned)).toBe(true);
    expect(isShown(shownStatus(status), accepted)).toBe(false);
  });

  it('says nothing of the warnings while problems or a budget keep the policy out of force', () =>
    expect(message({ ...broken, warnings: ['of no use'] })).not.toContain('of no use'));
});

describe('the status of a policy that cannot be read', () => {
  it('lists every problem, and says which generation stays in force', () => {
    const shown = shownStatus({ observedGeneration: 3, conditions: [condition({})] });
    expect(merged(statusPatch(shown, broken, NOON))).toEqual({
      observedGeneration: 4,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Invalid',
          message:
            'generation 3 stays in force: spec.port: must be at most 65535, not 70000; spec.contaners: unknown field',
          observedGeneration: 4,
          lastTransitionTime: '2026-01-01T12:00:00Z',
        },
      ],
    });
  });

  it('says so when no version can be used', () => {
    const status = merged(statusPatch(shownStatus({}), { ...broken, good: undefined }, NOON));
    expect(status.conditions[0]?.['message']).toMatch(/^no version is in force: spec\.port/);
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

describe('conditions of others', () => {
  it('are kept as they are, in their places', () => {
    const others = [
      { type: 'Synced', status: 'Unknown', extra: [1] },
      { type: 'Drifted', status: 'False' },
    ];
    const shown = shownStatus({ conditions: [others[0], condition({ message: 'old' }), others[1], 'nonsense'] });
    const { conditions } = merged(statusPatch(shown, accepted, NOON));
    expect([conditions[0], conditions[2], conditions.length]).toEqual([...others, 3]);
    expect(conditions[1]).toMatchObject({ type: 'Ready', message: 'in force' });
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

  it.each([[null], ['text'], [{ conditions: 'x', observedGeneration: '3' }]])('is not %j', (status) =>
    expect(isShown(shownStatus(status), accepted)).toBe(false),
  );
});

it('the message of a status commands no terminal, however long the problems are', () => {
  const text = message({ ...broken, problems: [`spec.${HOSTILE}: unknown field`, HOSTILE.repeat(100)] });
  expect(text).toContain('\\u001b');
  expect(text.length).toBeLessThanOrEqual(1024);
  expectHarmless(text);
});

describe('the advice about a policy', () => {
  const entry = {
    check: 'timeout-over-period',
    field: 'spec.probes.livenessProbe.timeoutSeconds',
    message: 'too long',
  };
  const advised: PolicyVerdict = { ...accepted, advice: [entry] };

  it('is listed and counted', () =>
    expect(merged(statusPatch(shownStatus(undefined), advised, NOON))).toMatchObject({
      adviceCount: 1,
      advice: [entry],
      conditions: [{ reason: 'Accepted' }],
    }));

  it('has bounds, and the count has none', () => {
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

  it('is written once, in whatever order the API server returns its members', () => {
    const status = merged(statusPatch(shownStatus(undefined), advised, NOON));
    const sorted = { ...status, advice: [{ message: entry.message, field: entry.field, check: entry.check }] };
    expect(statusPatch(shownStatus(sorted), advised, NOON + 5000)).toBeUndefined();
    expect(statusPatch(shownStatus({ ...sorted, adviceCount: 2 }), advised, NOON)).toBeDefined();
    expect(statusPatch(shownStatus({ ...sorted, advice: [{ ...entry, other: 1 }] }), advised, NOON)).toBeDefined();
  });

  it('is removed when there is none any more', () => {
    const status = merged(statusPatch(shownStatus(undefined), advised, NOON));
    const patch = merged(statusPatch(shownStatus(status), accepted, NOON));
    expect(patch).toMatchObject({ adviceCount: null, advice: null });
    expect(isShown(shownStatus({ ...status, adviceCount: undefined, advice: undefined }), accepted)).toBe(true);
  });
});
