import { describe, expect, it } from 'vitest';
import {
  endOf,
  exceptionRules,
  EXPIRING_MILLISECONDS,
  mayExcept,
  type ExceptionRules,
  type ProbeException,
} from '../../../src/engine/policy/probe-exception.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const YEAR: ExceptionRules = { action: 'Allow', maximumDays: 365, checks: 'all' };

/** An exception that was made and ends these days after NOW. */
const exceptionOf = (expires: number, created?: number): ProbeException => ({
  ...parsedException(exceptionDocument()),
  expires: NOW + expires * DAY,
  created: created === undefined ? undefined : NOW + created * DAY,
});

describe('the rules of exceptions', () => {
  it('allow each check for a year when no policy says more', () => {
    expect(exceptionRules([{}, { exceptions: {} }])).toEqual(YEAR);
    expect(mayExcept(YEAR, 'named-port')).toBe(true);
  });

  it('come field by field from the highest layer, and null restores the default', () => {
    const base = { exceptions: { action: 'Ignore', maximumDays: 30, checks: ['named-port'] } } as const;
    const above = { exceptions: { maximumDays: 7 } };
    const rules = exceptionRules([base, above, {}]);
    expect(rules).toEqual({ action: 'Ignore', maximumDays: 7, checks: ['named-port'] });
    expect([mayExcept(rules, 'named-port'), mayExcept(rules, 'exec-cost')]).toEqual([true, false]);
    expect(exceptionRules([base, { exceptions: { action: 'Allow', maximumDays: null, checks: null } }])).toEqual(YEAR);
  });
});

describe('an exception', () => {
  it('causes warnings from 14 days before its end', () => expect(EXPIRING_MILLISECONDS).toBe(1_209_600_000));

  it('ends at its own end, or the longest time after its creation if that is earlier', () => {
    const month = { ...YEAR, maximumDays: 30 };
    expect(endOf(exceptionOf(20, 0), month)).toBe(NOW + 20 * DAY);
    expect(endOf(exceptionOf(40, 0), month)).toBe(NOW + 30 * DAY);
    expect(endOf(exceptionOf(40), month)).toBe(NOW + 40 * DAY);
  });
});
