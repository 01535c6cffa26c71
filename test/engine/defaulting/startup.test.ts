import { describe, expect, it } from 'vitest';
import { defaultProbes } from '../../../src/engine/defaulting/default-probes.ts';
import { fieldOrigin } from '../../../src/engine/defaulting/field-origin.ts';
import { probePatch } from '../../../src/engine/defaulting/patch.ts';
import {
  slowStartRule,
  startBudget,
  withoutLearnedBudget,
  type SlowStartRule,
} from '../../../src/engine/defaulting/startup.ts';
import { mergeLayers, type ContainerPolicy } from '../../../src/engine/policy/container-policy.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, parsedPolicy, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { Injection } from '../../../src/engine/defaulting/injection.ts';
import type { NotInjected } from '../../../src/engine/defaulting/not-injected.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartFigures } from '../../../src/engine/time/learned-start.ts';

const KNOWN: StartFigures = { starts: 12, longestSeconds: 41, boundSeconds: 0 };
const live = { kubernetesProbeEndpoints: { livenessProbe: '/live' } };

interface Case {
  readonly specs: readonly JsonObject[];
  readonly starts: StartFigures;
  readonly container?: JsonObject;
  readonly annotations?: JsonObject;
}

interface Result {
  readonly startup: Injection | undefined;
  readonly guaranteed: number | undefined;
  readonly reasons: readonly NotInjected[];
  readonly object: JsonObject;
  readonly injections: readonly Injection[];
}

function result(
  specs: readonly JsonObject[],
  starts: StartFigures | undefined = KNOWN,
  container: JsonObject = {},
  annotations: JsonObject = {},
): Result {
  const object = pod([appContainer(container)], { metadata: { annotations } });
  const policy = policySet(...specs.map((spec, at) => policyDocument(spec, `p${at}`))).policyFor('apps', new Map());
  const known = { ...policy, starts: (name: string) => (name === 'app' ? starts : undefined) };
  const { injections, notInjected } = defaultProbes(readPod(object, POD_KIND), known);
  const startup = injections.find(({ kind }) => kind === 'startupProbe');
  return {
    startup,
    guaranteed: startup && guaranteedStartSeconds(probeTiming(startup.probe)),
    reasons: notInjected.filter(({ probe }) => probe === 'startupProbe'),
    object,
    injections,
  };
}

const learned = (settings: JsonObject = {}, others: JsonObject = {}): JsonObject => ({
  ...live,
  slowStart: { learned: settings, ...others },
});

describe('an injected startup probe', () => describeDefaulting('startup'));

describe('learned start times', () =>
  describeCases('test/fixtures/learned-startup.yaml', ['startup', 'guaranteed', 'reasons'], (given) => {
    const { specs, starts, container, annotations } = given as unknown as Case;
    const { startup, guaranteed, reasons } = result(specs, starts, container, annotations);
    const { probe, source, learned: known } = startup ?? {};
    return {
      startup: startup && { probe, source, learned: known },
      guaranteed,
      reasons: reasons.length > 0 ? reasons : undefined,
    };
  }));

describe('an injected startup probe with learned start times', () => {
  it('names the layer whose setting decides', () => {
    const settingOf = ({ startup }: Result): unknown => {
      if (startup === undefined) return undefined;
      const origin = fieldOrigin(startup, ['failureThreshold']);
      return origin.by === 'slow-start' ? origin.setting?.path.join('.') : origin.by;
    };
    expect(settingOf(result([learned()]))).toBe('spec.slowStart.learned');
    expect(settingOf(result([learned({}, { startupSeconds: 200 })]))).toBe('spec.slowStart.startupSeconds');
  });

  it('says so in the annotation of the Pod, with the figures', () => {
    const { object, injections } = result([learned()], { ...KNOWN, boundSeconds: 20 });
    const [operation] = probePatch(object, injections);
    expect(operation?.value).toBe(
      '{"app":{"livenessProbe":"ProbePolicy/apps/p0","startupProbe":"learned: 12 starts, longest 41 s, one killed after 20 s, 69 s to start; ProbePolicy/apps/p0"}}',
    );
  });
});

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
      { readiness: { initialDelaySeconds: 380 } },
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
      { readiness: { initialDelaySeconds: 41 } },
      asked(60),
      undefined,
      61,
      'readinessProbe',
    ],
    [
      'is the number above a delay',
      { readiness: { initialDelaySeconds: 39 } },
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
