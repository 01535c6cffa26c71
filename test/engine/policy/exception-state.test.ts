import { describe, expect, it } from 'vitest';
import { exceptionState, isLimited } from '../../../src/engine/policy/exception-state.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { ExceptionRules, ProbeException } from '../../../src/engine/policy/probe-exception.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const YEAR: ExceptionRules = { action: 'Allow', maximumDays: 365, checks: 'all' };

/** An exception that was made and ends these days after NOW. */
const exceptionOf = (expires: number, created?: number): ProbeException => ({
  ...parsedException(exceptionDocument()),
  expires: NOW + expires * DAY,
  created: created === undefined ? undefined : NOW + created * DAY,
});

describe('an exception', () => {
  it('is limited when the rules ignore it, shorten it, or leave out a check', () => {
    const limits = (rules: Partial<ExceptionRules>, days = 30): boolean =>
      isLimited(exceptionOf(days, 0), { ...YEAR, ...rules });
    expect(limits({})).toBe(false);
    expect(limits({ action: 'Ignore' })).toBe(true);
    expect([limits({ maximumDays: 30 }), limits({ maximumDays: 29 })]).toEqual([false, true]);
    expect([limits({ checks: ['named-port', 'exec-cost'] }), limits({ checks: ['exec-cost'] })]).toEqual([false, true]);
    const two = {
      ...exceptionOf(30, 0),
      ...parsedException(exceptionDocument({ checks: ['named-port', 'exec-cost'] })),
    };
    expect([isLimited(two, { ...YEAR, checks: ['exec-cost'] }), isLimited(two, YEAR)]).toEqual([true, false]);
  });

  it.each([
    ['Expired', 'at its end', exceptionOf(0, -1)],
    ['Expiring', 'a millisecond before its end', exceptionOf(1 / DAY, -1)],
    ['Expiring', '14 days before its end', exceptionOf(14, -1)],
    ['Active', 'more than 14 days before its end', exceptionOf(14.001, -1)],
    ['Active', 'without a match less than 30 days after its creation', exceptionOf(100, -29.999)],
    ['Unused', 'without a match 30 days after its creation', exceptionOf(100, -30)],
    ['Expiring', 'without a match for 30 days, shortly before its end', exceptionOf(2, -30)],
    ['Active', 'in a file, without a match', exceptionOf(100)],
    ['Active', 'with a match less than 30 days ago', exceptionOf(100, -60), -29.999],
    ['Unused', 'with its last match 30 days ago', exceptionOf(100, -60), -30],
    ['Active', 'with a match before it was made again', exceptionOf(100, -10), -60],
  ])('is %s %s', (state, _when, exception, matched?: number) => {
    const lastMatched = matched === undefined ? undefined : NOW + matched * DAY;
    expect(exceptionState(exception, YEAR, lastMatched, NOW)).toBe(state);
  });
});
