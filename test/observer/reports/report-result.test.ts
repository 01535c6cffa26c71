import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { ExtraResults, categoryOf, resultOfViolation } from '../../../src/observer/reports/report-result.ts';
import { expect, it } from 'vitest';
import type { Violation } from '../../../src/engine/checks/violation.ts';
import type { ReportResult } from '../../../src/observer/reports/report-result.ts';

const violation: Violation = {
  check: 'startup-budget',
  action: 'Warn',
  container: 'worker',
  path: ['spec'],
  message: 'too short',
};

it('a result has the policy at fault, the severity of its action, and no fix that is no single value', () => {
  const policy = { source: 'ProbePolicy/apps/web', path: ['spec'], action: 'Warn' } as const;
  const edits = [{ path: ['spec'], value: { a: 1 } }];
  expect(resultOfViolation({ ...violation, policy, edits }, [], 'apps')).toEqual({
    policy: 'ProbePolicy/apps/web',
    rule: 'startup-budget',
    category: 'Will hurt',
    severity: 'medium',
    result: 'warn',
    scored: false,
    message: 'spec: too short',
    properties: { container: 'worker', action: 'Warn' },
  });
});

it('a result has the highest layer that sets the action or the floor of the check for the container', () => {
  const layer = (source: string, settings: object, containers: unknown = 'all'): object => ({
    ...{ source, containers, checks: new Map([['startup-budget', settings]]) },
  });
  const layers = [
    layer('base', { action: 'Warn' }),
    layer('parameters', { minimum: 1 }),
    layer('other', { floor: 'Deny' }, ['app']),
  ];
  const policyOf = (...more: readonly object[]): string =>
    resultOfViolation(violation, [...layers, ...more] as never, 'apps').policy;
  expect(policyOf()).toBe('base');
  expect(policyOf(layer('floor', { floor: 'Deny' }, ['worker']))).toBe('floor');
});

it('an excepted violation is skipped, and stays visible with owner, ticket and end', () => {
  const exception = {
    name: 'legacy',
    owner: 'team-a',
    reason: 'The vendor image has one port.',
    ticket: 'PAY-1',
    expires: '2027-01-31T00:00:00Z',
    isEnding: false,
  };
  const excepted: Violation = { ...violation, action: 'Excepted', exception };
  expect(resultOfViolation(excepted, [], 'apps')).toMatchObject({
    policy: 'ProbeException/apps/legacy',
    severity: 'info',
    result: 'skip',
    scored: false,
    message: 'excepted by ProbeException/apps/legacy: spec: too short',
    properties: { exception: 'apps/legacy', owner: 'team-a', ticket: 'PAY-1', expires: '2027-01-31T00:00:00Z' },
  });
});

it('the checks of the category "Cannot work" are the first of the catalogue, so reports and docs group them alike', () => {
  const first = CHECKS.filter(({ id }) => categoryOf(id) === 'Cannot work');
  expect(first.map(({ id }) => id)).toContain('valid-probe');
  expect(first).toEqual(CHECKS.slice(0, first.length));
});

it('the category of a check follows from its definition', () => {
  expect(['named-port', 'single-failure', 'probe-bounds'].map(categoryOf)).toEqual([
    'Cannot work',
    'Will hurt',
    'House rules',
  ]);
});

const web = { namespace: 'shop', group: 'apps', kind: 'Deployment', name: 'web' };
const result = (rule: string): ReportResult => ({
  policy: 'probewright',
  rule,
  category: 'After admission',
  severity: 'medium',
  result: 'warn',
  scored: false,
  message: `${rule} is found`,
  properties: {},
});

it('extra results hold the results of all producers, and report changes only', () => {
  const extra = new ExtraResults();
  const changes: string[] = [];
  extra.onChange(({ name }) => changes.push(name));
  extra.replace('missed', [[web, [result('missed-pods')]]]);
  extra.replace('missed', [[{ ...web }, [result('missed-pods')]]]);
  extra.replace('failing', [
    [web, [result('probe-failing')]],
    [{ ...web, name: 'worker' }, []],
  ]);
  expect(extra.of(web).map(({ rule }) => rule)).toEqual(['probe-failing', 'missed-pods']);
  extra.replace('failing', [[web, []]]);
  extra.replace('missed', []);
  expect(extra.of(web)).toEqual([]);
  expect(changes).toEqual(['web', 'web', 'web', 'web']);
});
