import { describe, expect, it } from 'vitest';
import {
  atLeastObserved,
  longerStart,
  observedStarts,
  secondsToGuarantee,
  startupInPlaceOfDelays,
  startupProbeFor,
} from '../../../../src/engine/checks/lib/startup-probe.ts';
import { isTimed, type TimedProbe } from '../../../../src/engine/workload/pod.ts';
import { workloadOf } from '../workload.ts';
import { appContainer, deploymentOf, pod } from '../../../support/worlds.ts';
import type { CheckedWorkload } from '../../../../src/engine/checks/checked-workload.ts';
import type { JsonObject } from '../../../../src/base/json/json-value.ts';

const httpGet = { path: '/', port: 'http' };
const worldOf = (members: JsonObject, spec: JsonObject = {}, others?: JsonObject[]): CheckedWorkload =>
  workloadOf(deploymentOf(pod([appContainer(members)], { spec })), others);
const probesOf = (members: JsonObject, spec?: JsonObject): TimedProbe[] =>
  worldOf(members, spec).pod.containers[0]?.probes.filter(isTimed) ?? [];
const liveness = (numbers: JsonObject, spec?: JsonObject): TimedProbe => {
  const [probe] = probesOf({ livenessProbe: { httpGet, ...numbers } }, spec);
  if (probe === undefined) throw new Error('no probe');
  return probe;
};
const written = (probe: TimedProbe, least?: number): unknown => startupProbeFor(probe, least)?.advice.edits[0]?.value;

describe('a startup probe to write', () => {
  it.each<[numbers: JsonObject, least: number, expected: JsonObject | undefined]>([
    [{}, 0, { periodSeconds: 5, failureThreshold: 6 }],
    [{}, 100, { periodSeconds: 5, failureThreshold: 21 }],
    [{}, 295, { periodSeconds: 5, failureThreshold: 60 }],
    [{}, 300, { periodSeconds: 5, failureThreshold: 61 }],
    [{}, 1195, { periodSeconds: 5, failureThreshold: 240 }],
    [{}, 1196, { periodSeconds: 10, failureThreshold: 121 }],
    [{}, 2390, { periodSeconds: 10, failureThreshold: 240 }],
    [{}, 2391, undefined],
    [{ timeoutSeconds: 7 }, 0, { periodSeconds: 10, timeoutSeconds: 7, failureThreshold: 3 }],
    [{ periodSeconds: 2, failureThreshold: 2 }, 0, { periodSeconds: 2, failureThreshold: 6 }],
    [{ timeoutSeconds: 5 }, 0, { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 6 }],
    [{ periodSeconds: 5, failureThreshold: 2 }, 0, { periodSeconds: 5, failureThreshold: 3 }],
    [{ failureThreshold: 1 }, 0, { periodSeconds: 5, failureThreshold: 3 }],
    [{ periodSeconds: 1, failureThreshold: 100 }, 0, { periodSeconds: 5, failureThreshold: 22 }],
  ])('beside a liveness probe with %j guarantees %d s: %j', (numbers, least, expected) =>
    expect(written(liveness(numbers), least)).toEqual(expected && { httpGet, ...expected }),
  );

  it('has the handler without defaults and misplaced numbers, and tells what it guarantees', () => {
    const probe = liveness({ httpGet: { ...httpGet, scheme: 'HTTP', host: null, periodSeconds: 3 } });
    const { yaml, guaranteedSeconds, advice } = startupProbeFor(probe) ?? {};
    expect(yaml).toBe('startupProbe: { httpGet: { path: /, port: http }, periodSeconds: 5, failureThreshold: 6 }');
    expect(guaranteedSeconds).toBe(25);
    expect(advice?.remedy).toBe(`write ${yaml ?? ''}`);
    expect(advice?.copied.probe).toBe('livenessProbe');
    expect(written(liveness({ httpGet: { ...httpGet, scheme: 'HTTPS' } }))).toMatchObject({
      httpGet: { scheme: 'HTTPS' },
    });
  });

  it('keeps the grace period of the liveness probe only where it is no longer than the Pod’s', () => {
    const grace = (own: number, pods?: number): unknown =>
      (
        written(
          liveness(
            { terminationGracePeriodSeconds: own },
            pods === undefined ? {} : { terminationGracePeriodSeconds: pods },
          ),
        ) as JsonObject
      )['terminationGracePeriodSeconds'];
    expect([grace(10, 20), grace(20, 20), grace(21, 20), grace(10)]).toEqual([10, 20, undefined, 10]);
  });
});

describe('advice for a longer start', () => {
  const remedy = (numbers: JsonObject, minimum: number): string => longerStart(liveness(numbers), minimum).remedy ?? '';

  it.each([
    [{ periodSeconds: 10, failureThreshold: 3 }, 60, 'write failureThreshold: 7 for at least 60 s'],
    [
      { periodSeconds: 5, failureThreshold: 3 },
      60,
      'write periodSeconds: 10 and failureThreshold: 7 for at least 60 s',
    ],
    [{ periodSeconds: 4, failureThreshold: 2 }, 40, 'write periodSeconds: 5 and failureThreshold: 9 for at least 40 s'],
    [{ periodSeconds: 10, initialDelaySeconds: 30 }, 60, 'write failureThreshold: 5 for at least 60 s'],
  ])('of %j for %d s is to %s', (numbers, minimum, expected) => expect(remedy(numbers, minimum)).toBe(expected));

  it('has no shorter period for a command than commands get', () => {
    const [probe] = probesOf({ startupProbe: { exec: { command: ['/check'] }, periodSeconds: 1 } });
    if (probe === undefined) throw new Error('no probe');
    expect(longerStart(probe, 300).remedy).toBe('write periodSeconds: 5 and failureThreshold: 61 for at least 300 s');
  });

  it('is a startup probe where a liveness probe would need too much patience', () =>
    expect(remedy({ periodSeconds: 10 }, 300)).toMatch(/^write startupProbe: .* failureThreshold: 61 \}$/));

  it('is in words where no round numbers do', () =>
    expect(remedy({ periodSeconds: 10 }, 4000)).toBe('let the livenessProbe allow 4000 s to start'));
});

describe('a startup probe in place of delays', () => {
  const advised = (members: JsonObject): string[] => {
    const workload = worldOf(members);
    const [first, ...others] = (workload.pod.containers[0]?.probes ?? []).filter(isTimed);
    if (first === undefined) throw new Error('no probe');
    const { remedy, edits = [] } = startupInPlaceOfDelays(workload, first, ...others);
    return [
      remedy ?? '',
      ...edits.map(({ path, value }) => `${path.slice(-2).join('.')} ${value === null ? 'gone' : 'set'}`),
    ];
  };
  const delayed = (seconds: number): JsonObject => ({ httpGet, initialDelaySeconds: seconds });

  it.each<[members: JsonObject, start: string, edits: string[]]>([
    [
      { livenessProbe: delayed(90) },
      'remove initialDelaySeconds and write',
      ['livenessProbe.initialDelaySeconds gone'],
    ],
    [
      { livenessProbe: delayed(90), readinessProbe: delayed(30) },
      'remove initialDelaySeconds of both probes and write',
      ['livenessProbe.initialDelaySeconds gone', 'readinessProbe.initialDelaySeconds gone'],
    ],
    [
      { livenessProbe: delayed(0), readinessProbe: delayed(30) },
      'remove initialDelaySeconds of the readinessProbe and write',
      ['readinessProbe.initialDelaySeconds gone'],
    ],
    [{ livenessProbe: delayed(0) }, 'write startupProbe', []],
  ])('for %j begins with: %s', (members, start, edits) => {
    const [remedy, ...others] = advised(members);
    expect(remedy?.startsWith(start)).toBe(true);
    expect(others).toEqual([...edits, '0.startupProbe set']);
  });

  it('guarantees the longest delay', () => {
    const [remedy] = advised({ livenessProbe: delayed(90), readinessProbe: delayed(200) });
    expect(remedy).toContain('(guarantees 220 s to start)');
  });

  it('is in words for a delay that no round numbers guarantee', () =>
    expect(advised({ livenessProbe: delayed(4000) })).toEqual([
      'guard the start with a startupProbe that allows 4019 s',
    ]));
});

describe('the measured starts of a container', () => {
  const profile = (container: JsonObject): JsonObject => ({
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'StartupProfile',
    metadata: { name: 'deployment-random', namespace: 'apps' },
    status: {
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'random' },
      containers: [{ name: 'app', ...container }],
    },
  });
  const sample = { seconds: 90, basis: 'startup', at: '2026-11-20T10:00:00Z', id: 'a' };
  const observed = (...profiles: JsonObject[]): number[] | undefined => observedOf(worldOf({}, {}, profiles));
  const observedOf = (workload: CheckedWorkload): number[] | undefined => {
    const container = workload.pod.containers[0];
    if (container === undefined) throw new Error('no container');
    const starts = observedStarts(container, workload);
    const wanted = [10, 100_000].map((seconds) => atLeastObserved(container, workload, seconds));
    return starts && [...wanted, secondsToGuarantee(starts)];
  };

  it('ask for what a learned budget guarantees, if that is more', () => {
    const [more = 0, given, needed] = observed(profile({ samples: [sample] })) ?? [];
    expect(more).toBeGreaterThan(90);
    expect([given, needed]).toEqual([100_000, more]);
  });

  it('are known where a start was measured or killed, and else unknown', () => {
    expect(observed(profile({ samples: [], censored: 1, censoredBoundSeconds: 30 }))?.[0]).toBeGreaterThan(30);
    expect(observed(profile({ samples: [] }))).toBeUndefined();
    expect(observed()).toBeUndefined();
    expect(observed(profile({ name: 'other', samples: [sample] }))).toBeUndefined();
  });

  it('are known where a start took a second, or was killed after one', () => {
    expect(observed(profile({ samples: [{ ...sample, seconds: 1 }] }))).toBeDefined();
    expect(observed(profile({ samples: [], censored: 1, censoredBoundSeconds: 1 }))).toBeDefined();
  });

  it('are not those of an owner that anybody may have written into a Pod', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'random-6f9d', uid: 'r', controller: true };
    const metadata = { name: 'random-6f9d-x', namespace: 'apps', ownerReferences: [owner] };
    const object = { ...pod([appContainer({})]), metadata: { ...metadata, labels: { 'pod-template-hash': '6f9d' } } };
    expect(observedOf(workloadOf(object, [profile({ samples: [sample] })]))).toBeUndefined();
  });
});
