import { describe, expect, it } from 'vitest';
import {
  hasHook,
  isSidecar,
  killEndsPod,
  mayBeRestarted,
  podGraceSeconds,
  probeGraceSeconds,
} from '../../../src/engine/workload/kill-settings.ts';
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

describe('a grace period', () => {
  const seconds = (terminationGracePeriodSeconds: unknown) => ({ terminationGracePeriodSeconds });

  it('of a probe is above 0, and that of a Pod may be 0', () => {
    expect([0, 1].map((value) => podGraceSeconds(seconds(value)))).toEqual([0, 1]);
    expect([0, 1].map((value) => probeGraceSeconds(seconds(value)))).toEqual([undefined, 1]);
  });

  it('of null is the default', () => {
    expect(podGraceSeconds(seconds(null))).toBe(30);
    expect(probeGraceSeconds(seconds(null))).toBe('absent');
  });
});

describe('a container', () => {
  it('is a sidecar with restartPolicy Always alone', () => {
    expect(isSidecar({ restartPolicy: 'Always' })).toBe(true);
    for (const restartPolicy of ['Never', 'always', undefined, null]) expect(isSidecar({ restartPolicy })).toBe(false);
  });

  it('may be restarted unless the policy that counts is Never', () => {
    const never = { restartPolicy: 'Never' };
    expect(mayBeRestarted({}, {})).toBe(true);
    expect(mayBeRestarted({}, never)).toBe(false);
    expect(mayBeRestarted(never, {})).toBe(false);
    expect(mayBeRestarted({ restartPolicy: 'OnFailure' }, never)).toBe(true);
    expect(mayBeRestarted({ restartPolicyRules: [{}] }, never)).toBe(true);
    expect(mayBeRestarted({ restartPolicyRules: [] }, never)).toBe(false);
    expect(mayBeRestarted({ restartPolicyRules: 'x' }, never)).toBe(false);
  });

  it('ends its Pod with it when it is alone and is not restarted', () => {
    const spec = (count: number) => ({ restartPolicy: 'Never', containers: Array.from({ length: count }, () => ({})) });
    expect([1, 2].map((count) => killEndsPod({}, spec(count)))).toEqual([true, false]);
    expect(killEndsPod({ restartPolicy: 'Always' }, spec(1))).toBe(false);
    expect(killEndsPod({}, { restartPolicy: 'Never' })).toBe(false);
  });

  it('has a preStop hook, or none', () =>
    expect([hook, { lifecycle: { postStart: {} } }, {}].map((one) => hasHook(one, 'preStop'))).toEqual([
      true,
      false,
      false,
    ]));
});
