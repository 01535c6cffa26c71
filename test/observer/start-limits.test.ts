import { describe, expect, it } from 'vitest';
import { liveContainer } from '../../src/observer/live-pod.ts';
import { overEstimate, startLimits, startProbeOf, type StartLimits } from '../../src/observer/start-limits.ts';
import type { ProbeTiming } from '../../src/engine/time/timing.ts';

const withProbes = (spec: object, podSpec: object = {}): ReturnType<typeof liveContainer> =>
  liveContainer({ name: 'app', role: 'application', list: 'containers', spec: { ...spec } }, { ...podSpec });
const limits = (spec: object, podSpec: object = {}): StartLimits => startLimits(withProbes(spec, podSpec));

const TIMING: ProbeTiming = {
  initialDelaySeconds: 5,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

describe('the probe that shows the end of a start', () => {
  it('is the startup probe, else the readiness probe, and never the liveness probe', () => {
    const [startupProbe, readinessProbe, livenessProbe] = [2, 3, 4].map((periodSeconds) => ({ periodSeconds }));
    const shown = (spec: object): unknown => {
      const found = startProbeOf(withProbes(spec));
      return found && [found.basis, found.timing.periodSeconds];
    };
    expect(shown({ startupProbe, readinessProbe })).toEqual(['startup', 2]);
    expect(shown({ readinessProbe, livenessProbe })).toEqual(['readiness', 3]);
    expect(shown({ livenessProbe })).toBeUndefined();
  });
});

describe('a measured start may be too long', () => {
  const over = (timing: Partial<ProbeTiming>, seconds: number, rounding = 1): number =>
    overEstimate({ basis: 'readiness', timing: { ...TIMING, ...timing } }, seconds, rounding);

  it('by one period and the rounding', () => {
    expect(over({}, 100)).toBe(11);
    expect(over({}, 100, 2)).toBe(12);
  });

  it('by the timeout, where that is longer than the period', () => {
    expect(over({ timeoutSeconds: 30 }, 100)).toBe(31);
  });

  it('by as many periods as readiness needs answers', () => {
    expect(over({ successThreshold: 4 }, 200)).toBe(41);
  });

  it('by all of it, where the first probes end it: delay, relist, period and rounding', () => {
    expect(over({}, 18)).toBe(18);
    expect(over({}, 18.1)).toBe(11);
    expect(over({}, 3)).toBe(3);
  });
});

describe('the limits of a start', () => {
  it('are those of the startup probe, and liveness runs after the start', () => {
    const startupProbe = { initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 3, timeoutSeconds: 2 };
    const livenessProbe = { periodSeconds: 4, failureThreshold: 2, timeoutSeconds: 1 };
    expect(limits({ startupProbe, livenessProbe })).toEqual({
      hasStartupProbe: true,
      firstStartupSeconds: 15,
      earliestKillSeconds: 4 + 2 * 10 - 1,
      longestStartSeconds: 5 + 10 + 2 * 10 + 2 + 3,
      killSeconds: expect.any(Number) as number,
      liveness: { failureThreshold: 2, verdictSeconds: 4 + 4 + 1 },
    });
  });

  it('are those of the liveness probe without a startup probe', () => {
    const livenessProbe = { periodSeconds: 10, failureThreshold: 3 };
    expect(limits({ livenessProbe })).toMatchObject({
      hasStartupProbe: false,
      firstStartupSeconds: 0,
      earliestKillSeconds: 19,
      longestStartSeconds: 10 + 20 + 1 + 3,
    });
  });

  it('do not exist without a probe that stops the container', () => {
    expect(limits({ readinessProbe: {} })).toEqual({
      hasStartupProbe: false,
      firstStartupSeconds: 0,
      earliestKillSeconds: undefined,
      longestStartSeconds: undefined,
      killSeconds: 0,
      liveness: undefined,
    });
  });

  it('have the longest time that a kill takes, by the grace periods of both probes', () => {
    const [startupProbe, livenessProbe] = [10, 90].map((terminationGracePeriodSeconds) => ({
      terminationGracePeriodSeconds,
    }));
    const one = limits({ startupProbe }).killSeconds;
    const other = limits({ livenessProbe }).killSeconds;
    expect(other - one).toBe(80);
    expect(limits({ startupProbe, livenessProbe }).killSeconds).toBe(other);
    expect(limits({ livenessProbe: { terminationGracePeriodSeconds: 'long' } }).killSeconds).toBe(0);
  });
});
