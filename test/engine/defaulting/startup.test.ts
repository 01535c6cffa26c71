import { describe, expect, it } from 'vitest';
import { defaultProbes } from '../../../src/engine/defaulting/default-probes.ts';
import { fieldOrigin } from '../../../src/engine/defaulting/field-origin.ts';
import { probePatch } from '../../../src/engine/defaulting/patch.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/probe/timing.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { Injection, NotInjected } from '../../../src/engine/defaulting/injection.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartFigures } from '../../../src/engine/probe/startup-budget.ts';

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
