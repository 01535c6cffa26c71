import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatProblem } from '../../../src/engine/policy/reader.ts';
import { parseProbeException } from '../../../src/engine/policy/read-exception.ts';
import {
  endOf,
  exceptionRules,
  exceptionSpec,
  mayExcept,
  type ExceptionRules,
  type ProbeException,
} from '../../../src/engine/policy/probe-exception.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

function problemsOf(document: unknown): string[] {
  const parsed = parseProbeException(CHECK_CATALOGUE, document);
  return parsed.problems !== undefined ? parsed.problems.map(formatProblem) : [];
}

describe('parseProbeException', () => {
  // `spec` has the members that differ from an exception without problems.
  describeCases('test/fixtures/probe-exceptions.yaml', ['problems'], ({ spec, document }) => ({
    problems: problemsOf(document ?? exceptionDocument(spec as JsonObject)),
  }));

  it('reads every field', () => {
    const exception = parsedException(
      exceptionDocument(
        { containers: ['app'], ticket: 'PAY-1', expires: '2027-01-31T01:00:00+01:00' },
        { creationTimestamp: '2026-07-01T00:00:00Z' },
      ),
    );
    const { name, expires, created, state, isLimited, lastMatched } = exception;
    const spec = exceptionSpec(exception);
    expect({ name, expires, created, state, isLimited, lastMatched, spec }).toEqual({
      name: 'legacy',
      expires: Date.UTC(2027, 0, 31),
      created: Date.UTC(2026, 6, 1),
      state: undefined,
      isLimited: false,
      lastMatched: undefined,
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Deployment', name: 'web' }],
        containers: ['app'],
        owner: 'team-a',
        reason: 'The vendor image has one port.',
        ticket: 'PAY-1',
      },
    });
  });

  it('never throws, whatever a document holds', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, metadata) => {
        expect(Array.isArray(problemsOf({ ...exceptionDocument(), spec, metadata }))).toBe(true);
        expect(Array.isArray(problemsOf(spec))).toBe(true);
      }),
    ));
});

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
  it('ends at its own end, or the longest time after its creation if that is earlier', () => {
    const month = { ...YEAR, maximumDays: 30 };
    expect(endOf(exceptionOf(20, 0), month)).toBe(NOW + 20 * DAY);
    expect(endOf(exceptionOf(40, 0), month)).toBe(NOW + 30 * DAY);
    expect(endOf(exceptionOf(40), month)).toBe(NOW + 40 * DAY);
  });
});
