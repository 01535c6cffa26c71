import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { formatProblem, Reader } from '../../../src/engine/policy/reader.ts';
import { parseProbeException, readExceptionSettings } from '../../../src/engine/policy/read-exception.ts';
import { exceptionSpec } from '../../../src/engine/policy/probe-exception.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { runs } from '../../support/runs.ts';
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
      { numRuns: runs(100) },
    ));

  it('reads when an exception was made only from an instant', () => {
    const created = (creationTimestamp: unknown): unknown =>
      parsedException(exceptionDocument({}, { creationTimestamp })).created;
    expect(created('1970-01-01T00:00:01Z')).toBe(1000);
    for (const other of [undefined, null, 5, 'yesterday']) expect(created(other)).toBeUndefined();
  });

  it('keeps a selector as requirements', () => {
    const workloadSelector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] };
    expect(
      exceptionSpec(parsedException(exceptionDocument({ workloads: undefined, workloadSelector }))),
    ).toHaveProperty('workloadSelector', [
      { key: 'app', operator: 'In', values: ['web'] },
      { key: 'tier', operator: 'Exists', values: [] },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['another version', { apiVersion: 'v1' }, 'apiVersion: must be probewright.dev/v1alpha1, not "v1"'],
    ['another kind', { kind: 'ProbePolicy' }, 'kind: must be ProbeException, not "ProbePolicy"'],
    ['no metadata', { metadata: 5 }, 'metadata: must be an object, not 5'],
    ['no name', { metadata: { namespace: 'apps' } }, 'metadata.name: must be given'],
    ['no spec', { spec: null }, 'spec: must be given'],
    ['a list as spec', { spec: [] }, 'spec: must be an object, not []'],
    ['another member', { data: 1 }, 'data: unknown field; known here: apiVersion, kind, metadata, spec, status'],
  ])('refuses a document with %s', (_, members, problem) =>
    expect(problemsOf({ ...exceptionDocument(), ...members })).toEqual([problem]),
  );

  it('refuses what is no object, and reads a document with a status', () => {
    expect(problemsOf('text')).toEqual(['must be an object, not "text"']);
    expect(problemsOf({ ...exceptionDocument(), status: { state: 'Active' } })).toEqual([]);
  });

  it('refuses an instant that is no text, and names it once', () => {
    expect(problemsOf(exceptionDocument({ expires: 5 }))).toEqual([
      'spec.expires: must be a string, not 5; put it in quotes',
    ]);
    expect(problemsOf(exceptionDocument({ checks: 'named-port' }))).toEqual([
      'spec.checks: must be a list, not "named-port"',
    ]);
  });
});

describe('the rules of a ClusterProbePolicy about exceptions', () => {
  const reading = (exceptions: unknown): { result: unknown; problems: string[] } => {
    const reader = new Reader(exceptions, ['exceptions'], []);
    const result = readExceptionSettings(CHECK_CATALOGUE, reader);
    return { result, problems: reader.problems.map(formatProblem) };
  };

  it.each([
    [undefined, undefined],
    [null, undefined],
    [{}, {}],
    [
      { action: null, checks: null, maximumDays: null },
      { checks: null, maximumDays: null },
    ],
    [{ action: 'Ignore' }, { action: 'Ignore' }],
    [{ checks: [] }, { checks: [] }],
    [{ checks: ['named-port', 'exec-cost'] }, { checks: ['named-port', 'exec-cost'] }],
  ])('%j are read as %j', (given, result) => expect(reading(given)).toStrictEqual({ result, problems: [] }));

  it.each<[unknown, string]>([
    [5, ': must be an object, not 5'],
    [{ days: 5 }, '.days: unknown field; known here: action, maximumDays, checks'],
    [{ checks: ['*'] }, '.checks[0]: "*": an exception names each check; there is no wildcard'],
    [{ checks: ['named-port', 'named-port'] }, '.checks[1]: "named-port" is listed twice'],
    [{ checks: {} }, '.checks: must be a list, not {}'],
    [{ checks: '' }, '.checks: must be a list, not ""'],
  ])('%j are refused', (given, problem) => expect(reading(given).problems).toEqual([`exceptions${problem}`]));
});
