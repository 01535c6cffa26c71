import { describe, expect, it } from 'vitest';
import {
  checkUrl,
  formatViolation,
  fullMessage,
  violationKey,
  withoutEdits,
  type Violation,
} from '../../../src/engine/checks/violation.ts';

const violation: Violation = {
  check: 'named-port',
  action: 'Deny',
  container: 'app',
  probe: 'livenessProbe',
  path: ['spec', 'containers', 0, 'livenessProbe', 'httpGet', 'port'],
  message: 'no port is named "web"',
};
const ended = { name: 'until-may', owner: 'team', reason: '', expires: '2026-05-01T00:00:00Z', isEnding: true };

describe('the text of a violation', () => {
  it('has the problem, then the remedy, then the exception that has ended', () => {
    expect(fullMessage(violation)).toBe('no port is named "web"');
    expect(fullMessage({ ...violation, remedy: 'write port: http' })).toBe('no port is named "web"; write port: http');
    expect(fullMessage({ ...violation, ended })).toBe(
      'no port is named "web"; ProbeException until-may ended at 2026-05-01T00:00:00Z',
    );
    expect(fullMessage({ ...violation, remedy: 'write port: http', ended })).toBe(
      'no port is named "web"; write port: http; ProbeException until-may ended at 2026-05-01T00:00:00Z',
    );
  });

  it('is one line with the path and the check', () =>
    expect(formatViolation({ ...violation, remedy: 'write port: http' })).toBe(
      'spec.containers[0].livenessProbe.httpGet.port: no port is named "web"; write port: http (named-port)',
    ));
});

describe('the identity of a violation', () => {
  it('stays the same with other values', () =>
    expect(violationKey({ ...violation, message: 'other', path: [], action: 'Warn', remedy: 'x' })).toBe(
      violationKey(violation),
    ));

  it.each<Partial<Violation>>([
    { check: 'valid-probe' },
    { container: 'web' },
    { probe: 'startupProbe' },
    { template: 'worker' },
    { isUnread: true },
  ])('is another one with %j', (other) =>
    expect(violationKey({ ...violation, ...other })).not.toBe(violationKey(violation)),
  );
});

it('loses its edits and keeps all else', () => {
  const edits = [{ path: violation.path, value: 'http' }];
  expect(withoutEdits({ ...violation, remedy: 'x', edits })).toEqual({ ...violation, remedy: 'x' });
  expect(withoutEdits(violation)).toBe(violation);
});

it('has a page for its check', () =>
  expect(checkUrl('named-port')).toBe(
    'https://github.com/probewright/probewright/blob/main/docs/checks.md#named-port',
  ));
