import { describe, expect, it } from 'vitest';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import { startBudget } from '../../../src/engine/defaulting/start-budget.ts';
import { probeTiming } from '../../../src/engine/probe/timing.ts';
import type { SlowStartRule } from '../../../src/engine/defaulting/start-budget.ts';

const asked = (seconds: number): SlowStartRule => ({ seconds, rule: 'startupSeconds', basis: { source: 'x' } });
/** bookie of a public chart: it guarantees 9 + 59 * 30 s. */
const bookie = { initialDelaySeconds: 10, periodSeconds: 30, failureThreshold: 60 };

describe('the law of injection', () => describeDefaulting('law'));

describe('the time to start of an injected startup probe', () => {
  it.each([
    ['is 300 s where nobody gives a number', {}, undefined, undefined, 300, 'safety'],
    ['is the number of the policy', {}, asked(60), undefined, 60, 'startupSeconds'],
    ['is what failureThreshold guarantees', {}, undefined, 45, 45, 'failureThreshold'],
    ['is the larger number of the policy', {}, asked(60), 145, 145, 'failureThreshold'],
    ['is what the liveness probe guarantees', { liveness: bookie }, asked(60), undefined, 1779, 'livenessProbe'],
    [
      'is what a short liveness probe guarantees, without 300 s',
      { liveness: {} },
      undefined,
      undefined,
      20,
      'livenessProbe',
    ],
    [
      'is the delay of the readiness probe',
      { readiness: { initialDelaySeconds: 400 } },
      undefined,
      undefined,
      400,
      'readinessProbe',
    ],
    [
      'is 300 s beside a shorter delay',
      { readiness: { initialDelaySeconds: 60 } },
      undefined,
      undefined,
      300,
      'safety',
    ],
    [
      'is a delay above the number',
      { readiness: { initialDelaySeconds: 61 } },
      asked(60),
      undefined,
      61,
      'readinessProbe',
    ],
    [
      'is the number above a delay',
      { readiness: { initialDelaySeconds: 59 } },
      asked(60),
      undefined,
      60,
      'startupSeconds',
    ],
    [
      'is what the injected liveness probe guarantees',
      { injectedLiveness: bookie },
      undefined,
      undefined,
      1779,
      'safety',
    ],
    [
      'is a number beside an injected liveness probe',
      { injectedLiveness: bookie },
      asked(60),
      undefined,
      60,
      'startupSeconds',
    ],
  ] as const)('%s', (_, evidence, rule, written, seconds, by) => {
    const known = Object.entries(evidence).map(([name, probe]) => [name, probeTiming(probe)] as const);
    expect(startBudget(Object.fromEntries(known), rule, written)).toEqual({ seconds, rule: by });
  });
});
