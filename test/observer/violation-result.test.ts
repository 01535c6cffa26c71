import { expect, it } from 'vitest';
import { resultOfViolation } from '../../src/observer/reports/report-result.ts';
import type { Violation } from '../../src/engine/checks/violation.ts';

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
