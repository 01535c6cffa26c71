import { describe, expect, it } from 'vitest';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import { slowStartRule, startBudget, withoutLearnedBudget } from '../../../src/engine/defaulting/start-budget.ts';
import { probeTiming } from '../../../src/engine/probe/timing.ts';
import { mergeLayers, type ContainerPolicy } from '../../../src/engine/policy/container-policy.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
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

/** A policy for slow starters, with integers of its startup probe. */
function policyOf(slowStart: JsonObject, startupProbe: JsonObject = {}): ContainerPolicy {
  const probes = { livenessProbe: { httpGet: { path: '/live' } }, startupProbe };
  return mergeLayers([parsedPolicy(policyDocument({ probes, slowStart }))]);
}

describe('the rule for slow starters', () => {
  const source = 'ProbePolicy/apps/policy';
  const figures = { starts: 5, longestSeconds: 41, boundSeconds: 0 };
  // 1.5 * 41 + 5 + 2, in whole seconds
  const learned = { source, learned: { figures, seconds: 69 } };

  it.each([
    ['gives what past starts ask for', { learned: {} }, {}, { seconds: 69, rule: 'learned', basis: learned }],
    [
      'counts the period of the startup probe',
      { learned: {} },
      { periodSeconds: 10 },
      { seconds: 74, rule: 'learned', basis: { source, learned: { figures, seconds: 74 } } },
    ],
    [
      'gives the larger number of the policy, and what was learned',
      { learned: {}, startupSeconds: 70 },
      {},
      { seconds: 70, rule: 'startupSeconds', basis: learned },
    ],
    [
      'is learned at the same number',
      { learned: {}, startupSeconds: 69 },
      {},
      { seconds: 69, rule: 'learned', basis: learned },
    ],
    [
      'is learned above a smaller number',
      { learned: {}, startupSeconds: 9 },
      {},
      { seconds: 69, rule: 'learned', basis: learned },
    ],
    [
      'is the number alone while too few starts are known',
      { learned: { minimumStarts: 6 }, startupSeconds: 9 },
      {},
      { seconds: 9, rule: 'startupSeconds', basis: { source } },
    ],
    ['is the number alone', { startupSeconds: 9 }, {}, { seconds: 9, rule: 'startupSeconds', basis: { source } }],
    ['is none while too few starts are known and no number is given', { learned: { minimumStarts: 6 } }, {}, undefined],
  ] as const)('%s', (_, slowStart, startupProbe, rule) =>
    expect(slowStartRule(policyOf(slowStart, startupProbe), { starts: figures })).toEqual(rule),
  );

  it.each([
    ['is the longest start that a liveness probe with this delay tolerates', 60, { initialDelaySeconds: 60 }, 91],
    ['is none for a shorter delay', 60, { initialDelaySeconds: 59 }, undefined],
    ['is 10 s at least', 1, { initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 1 }, 10],
    ['is none without a liveness probe of the author', 60, undefined, undefined],
  ])('that follows the delay %s', (_, fromInitialDelaySeconds, probe, seconds) => {
    const liveness = probe && probeTiming(probe);
    const rule = slowStartRule(policyOf({ fromInitialDelaySeconds }), { liveness });
    const basis = { source, followsDelay: true };
    expect(rule).toEqual(seconds && { seconds, rule: 'fromInitialDelaySeconds', basis });
  });

  it('is none where the policy asks for none', () =>
    expect(slowStartRule(policyOf({}), { starts: figures, liveness: probeTiming({}) })).toBeUndefined());
});

describe('a learned budget without effect', () => {
  const starts = (known: number) => ({ starts: known, longestSeconds: 1, boundSeconds: 0 });

  it.each([
    ['no start', undefined, '0 of 5'],
    ['4 starts', starts(4), '4 of 5'],
  ])('is told of with %s', (_, known, counted) =>
    expect(withoutLearnedBudget(policyOf({ learned: {} }), known)).toEqual({
      code: 'too-few-starts',
      detail: `${counted} starts are known, so slowStart.learned has no effect yet`,
    }),
  );

  it('is not told of when enough starts are known, or when nobody asked for it', () => {
    expect(withoutLearnedBudget(policyOf({ learned: {} }), starts(5))).toBeUndefined();
    expect(withoutLearnedBudget(policyOf({ startupSeconds: 60 }), undefined)).toBeUndefined();
    expect(withoutLearnedBudget(policyOf({ startupSeconds: 60 }), starts(1))).toBeUndefined();
  });
});
