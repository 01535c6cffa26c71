import { describe, expect, it } from 'vitest';
import { violationChanges } from '../../../../src/engine/verdict/compare/changes.ts';
import type { Violation } from '../../../../src/engine/checks/violation.ts';

const violation = (members: Partial<Violation> = {}): Violation => ({
  check: 'valid-probe',
  action: 'Deny',
  container: 'app',
  probe: 'livenessProbe',
  path: ['spec', 'containers', 0, 'livenessProbe', 'periodSeconds'],
  message: 'must be greater than 0',
  ...members,
});

describe('the violations of two snapshots', () => {
  it('are no change when only figures differ', () =>
    expect(violationChanges([violation()], [violation({ message: 'must be greater than 1' })])).toEqual([]));

  it('are new, gone or changed, with the actions of both sides', () => {
    const other = violation({ check: 'named-port', action: 'Warn' });
    expect(violationChanges([], [other])).toEqual([{ violation: other, change: 'new', before: null, after: 'Warn' }]);
    expect(violationChanges([other], [])).toEqual([{ violation: other, change: 'gone', before: 'Warn', after: null }]);
    const denied = violation({ check: 'named-port' });
    expect(violationChanges([other], [denied])).toEqual([
      { violation: denied, change: 'changed', before: 'Warn', after: 'Deny' },
    ]);
  });

  it('are told apart by container, probe and template', () => {
    for (const members of [{ container: 'b' }, { probe: 'startupProbe' as const }, { template: 'spec.b' }]) {
      const changes = violationChanges([violation()], [violation(members)]);
      expect(changes.map(({ change }) => change)).toEqual(['gone', 'new']);
    }
  });

  it('of one probe are paired by text, then by field, then by order', () => {
    const period = violation();
    const timeout = violation({ path: ['spec', 'containers', 0, 'livenessProbe', 'timeoutSeconds'] });
    expect(violationChanges([period, timeout], [timeout])).toEqual([
      { violation: period, change: 'gone', before: 'Deny', after: null },
    ]);
    const laxer = violation({ action: 'Warn', message: 'other figures' });
    expect(violationChanges([timeout, period], [laxer, timeout])).toEqual([
      { violation: laxer, change: 'changed', before: 'Deny', after: 'Warn' },
    ]);
    expect(violationChanges([period], [period, period])).toEqual([
      { violation: period, change: 'new', before: null, after: 'Deny' },
    ]);
  });
});
