import { describe, expect, it } from 'vitest';
import { mayBeRestarted, podGraceSeconds, probeGraceSeconds } from '../../../src/engine/workload/kill-settings.ts';
import { killBy } from '../../support/live-container.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const hook = { lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } } };

describe('how a container is stopped', () => {
  it("is within the probe's own grace period, also when it is longer than the Pod's", () => {
    const pod = { terminationGracePeriodSeconds: 5 };
    expect(killBy({ terminationGracePeriodSeconds: 60 }, {}, pod)?.graceSeconds).toBe(60);
    expect(killBy({ terminationGracePeriodSeconds: null }, {}, pod)?.graceSeconds).toBe(5);
    expect(killBy({}, {}, {})?.graceSeconds).toBe(30);
  });

  it('is the one of the Pod where nothing restarts the container, and no other container stays', () => {
    const probe = { terminationGracePeriodSeconds: 2 };
    const graceOf = (container: JsonObject, spec: JsonObject): number | undefined =>
      killBy(probe, container, { terminationGracePeriodSeconds: 12, ...spec })?.graceSeconds;
    const never = { restartPolicy: 'Never' };
    const alone = { containers: [{}] };

    expect(graceOf({}, { ...alone, ...never })).toBe(12);
    expect(graceOf(never, alone)).toBe(12);
    expect(graceOf({}, { ...alone, ...never, initContainers: [{ restartPolicy: 'Always' }] })).toBe(12);
    expect(graceOf({}, { ...never, containers: [{}, {}] })).toBe(2);
    expect(graceOf({}, { ...alone, restartPolicy: 'OnFailure' })).toBe(2);
    expect(graceOf({ restartPolicy: 'Always' }, { ...alone, ...never })).toBe(2);
    expect(graceOf({ ...never, restartPolicyRules: [{ action: 'Restart' }] }, alone)).toBe(2);
  });

  it('knows a preStop hook', () => {
    expect(killBy({}, hook, {})?.hasPreStop).toBe(true);
    expect(killBy({}, { lifecycle: { postStart: {}, preStop: null } }, {})?.hasPreStop).toBe(false);
  });

  it.each([-1, 1.5, '30'])('is not known with a grace period of %j', (terminationGracePeriodSeconds) => {
    expect(podGraceSeconds({ terminationGracePeriodSeconds })).toBeUndefined();
    expect(probeGraceSeconds({ terminationGracePeriodSeconds })).toBeUndefined();
    expect(killBy({ terminationGracePeriodSeconds }, {}, {})).toBeUndefined();
    expect(killBy({}, {}, { terminationGracePeriodSeconds })).toBeUndefined();
  });
});

describe('a container with restartPolicy Never', () => {
  const withRules = (...restartPolicyRules: readonly unknown[]): JsonObject => ({
    restartPolicy: 'Never',
    restartPolicyRules,
  });
  const rule = (operator: string, ...values: readonly number[]): JsonObject => ({
    action: 'Restart',
    exitCodes: { operator, values },
  });

  it('may be restarted by any rule while nobody knows its exit code', () => {
    expect(mayBeRestarted(withRules(rule('In', 42)), {})).toBe(true);
    expect(mayBeRestarted(withRules(), {})).toBe(false);
  });

  it.each<readonly [JsonObject, number, boolean]>([
    [withRules(rule('In', 42, 137)), 137, true],
    [withRules(rule('In', 42)), 137, false],
    [withRules(rule('In', 42), rule('In', 137)), 137, true],
    [withRules(rule('NotIn', 42)), 137, true],
    [withRules(rule('NotIn', 137)), 137, false],
    [withRules('x', { exitCodes: 7 }), 137, false],
  ])('%j after exit code %i: %s', (container, exitCode, expected) => {
    expect(mayBeRestarted(container, {}, exitCode)).toBe(expected);
  });
});
