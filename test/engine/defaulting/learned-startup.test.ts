import { describe, expect, it } from 'vitest';
import { defaultProbes } from '../../../src/engine/defaulting/default-probes.ts';
import { fieldSource } from '../../../src/engine/defaulting/field-origin.ts';
import { probePatch } from '../../../src/engine/defaulting/patch.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/probe/timing.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { Injection, NotInjected } from '../../../src/engine/defaulting/injection.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { StartFigures } from '../../../src/engine/probe/startup-budget.ts';

const KNOWN: StartFigures = { starts: 12, longestSeconds: 41, boundSeconds: 0 };
const live = { kubernetesProbeEndpoints: { livenessProbe: '/live' } };

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
  const { injections, notInjected } = defaultProbes(object, known, POD_KIND);
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
const ownLiveness = (members: JsonObject = {}): JsonObject => ({
  livenessProbe: { httpGet: { path: '/own', port: 'http' }, ...members },
});

describe('an injected startup probe with learned start times', () => {
  it('guarantees what the formula says in place of the safety', () => {
    const { startup, guaranteed, reasons } = result([learned()]);
    expect(startup?.probe).toEqual({
      httpGet: { path: '/live', port: 'http' },
      periodSeconds: 5,
      failureThreshold: 15,
    });
    expect(guaranteed).toBe(70);
    expect(reasons).toEqual([]);
    expect(startup?.learned).toEqual({ figures: KNOWN, seconds: 69 });
    expect(startup?.source).toBe('ProbePolicy/apps/p0');
  });

  it('uses the period of the policy in the formula', () => {
    const spec = { ...learned(), probes: { startupProbe: { periodSeconds: 20 } } };
    expect(result([spec]).startup?.learned?.seconds).toBe(84);
    expect(result([spec]).guaranteed).toBe(100);
  });

  it('is given to a container that has its own liveness probe', () => {
    const { startup, guaranteed } = result([{ slowStart: { learned: {} } }], KNOWN, ownLiveness());
    expect(startup?.probe['httpGet']).toEqual({ path: '/own', port: 'http' });
    expect(guaranteed).toBe(70);
  });

  it('keeps the handler of the policy, and a larger failureThreshold', () => {
    const spec = (failureThreshold: number): JsonObject => ({
      ...learned(),
      kubernetesProbeEndpoints: { startupProbe: '/start' },
      probes: { startupProbe: { failureThreshold } },
    });
    expect(result([spec(3)]).startup?.probe).toMatchObject({ httpGet: { path: '/start' }, failureThreshold: 15 });
    expect(result([spec(99)]).startup?.probe).toMatchObject({ failureThreshold: 99 });
  });

  it('never guarantees less than startupSeconds, or than the author guarantees', () => {
    expect(result([learned({}, { startupSeconds: 200 })]).guaranteed).toBe(200);
    expect(result([learned()], KNOWN, {}, { 'probewright.dev/startup-seconds': '120' }).guaranteed).toBe(120);
    const patient = ownLiveness({ initialDelaySeconds: 90, periodSeconds: 10, failureThreshold: 3 });
    expect(result([learned()], KNOWN, patient).guaranteed).toBeGreaterThanOrEqual(89 + 20);
  });

  it('names the layer whose setting decides', () => {
    const settingOf = ({ startup }: Result): unknown => {
      if (startup === undefined) return undefined;
      const { origin } = fieldSource(startup, ['failureThreshold']);
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

describe('too few starts', () => {
  const FEW = { ...KNOWN, starts: 4 };
  const detail = (known: number): string => `${known} of 5 starts are known, so slowStart.learned has no effect yet`;

  it('change nothing, and are reported', () => {
    for (const known of [0, 4]) {
      const { startup, reasons } = result([learned()], { ...KNOWN, starts: known });
      expect(startup).toMatchObject({ source: 'safety', probe: { failureThreshold: 61 } });
      expect(startup).not.toHaveProperty('learned');
      expect(reasons).toEqual([
        { container: 'app', probe: 'startupProbe', code: 'too-few-starts', detail: detail(known) },
      ]);
    }
  });

  it('are the reason why a container with its own liveness probe gets no startup probe', () => {
    const { startup, reasons } = result([{ slowStart: { learned: {} } }], FEW, ownLiveness());
    expect(startup).toBeUndefined();
    expect(reasons).toEqual([
      {
        container: 'app',
        probe: 'startupProbe',
        wantedBy: 'ProbePolicy/apps/p0',
        code: 'too-few-starts',
        detail: detail(4),
      },
    ]);
  });

  it('are no reason where a container has no probe to guard', () =>
    expect(result([{ slowStart: { learned: {} } }], FEW).reasons).toMatchObject([{ code: 'no-endpoint' }]));
});

describe('layers of learned settings', () => {
  it('win number by number', () => {
    const { startup } = result([learned({ margin: 3, minimumSeconds: 10 }), { slowStart: { learned: { margin: 2 } } }]);
    expect(startup?.learned).toEqual({ figures: KNOWN, seconds: 89 });
    expect(startup?.source).toBe('ProbePolicy/apps/p1');
  });

  it('end with null, and with the removal of the startup probe', () => {
    expect(result([learned(), { slowStart: { learned: null } }]).startup).toMatchObject({ source: 'safety' });
    expect(result([learned(), { probes: { startupProbe: null } }]).startup).toBeUndefined();
  });

  it('give the old budget back without learned', () => {
    const before = result([live]).startup;
    expect(result([learned(), { slowStart: { learned: null } }]).startup?.probe).toEqual(before?.probe);
  });
});
