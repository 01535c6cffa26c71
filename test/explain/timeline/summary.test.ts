import { describe, expect, it } from 'vitest';
import { caveatsOf, headlineOf, summaryOf } from '../../../src/explain/timeline/summary.ts';
import { facts, probe } from './container-facts.ts';
import { decidedContainer } from './decided-container.ts';
import type { BrokenProbe } from '../../../src/engine/verdict/broken-probes.ts';
import type { ContainerFacts } from '../../../src/explain/timeline/scene.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Kill } from '../../../src/engine/time/kill.ts';
import type { ProbeExplanation } from '../../../src/explain/timeline/explanation.ts';
import type { ProbeKind } from '../../../src/engine/probe/probe.ts';

const HOOK: Kill = { graceSeconds: 5, hasPreStop: true };

const STARTUP = probe({ failureThreshold: 6 });
const ALL = { startupProbe: STARTUP, livenessProbe: probe(), readinessProbe: probe() };
/** The liveness probe gives up within a period of the startup probe. */
const OPEN = { startupProbe: STARTUP, livenessProbe: probe({ periodSeconds: 3, failureThreshold: 4 }) };

const WHY = 'its startupProbe cannot work (probe-host)';
const unknown = (...times: ('starts' | 'hangs' | 'traffic')[]): Pick<ContainerFacts, 'unknown'> => ({
  unknown: new Map(times.map((time, index) => [time, index === 0 ? WHY : 'its readinessProbe cannot work (x)'])),
});

const explained = (kind: ProbeKind, from: string, budget?: ProbeExplanation['budget']): ProbeExplanation => ({
  ...{ kind, from, handler: 'x', letters: {}, fields: [] },
  ...(budget && { budget }),
});

/** The lines of a summary by what they are about. */
function lines(
  given: ContainerFacts,
  { probes = [], caveats = [] }: { probes?: readonly ProbeExplanation[]; caveats?: readonly string[] } = {},
): Record<string, string> {
  return Object.fromEntries(summaryOf(given, { probes, caveats }).map(({ about, text }) => [about, text]));
}

describe('the headline', () => {
  it('promises the time to start, and tells when the container is dead', () =>
    expect(headlineOf(facts(ALL))).toBe('Guaranteed 50 s to start. SIGTERM after 61 s at the latest; dead by 91 s.'));

  it('has long times also in minutes', () =>
    expect(headlineOf(facts({ startupProbe: probe({ failureThreshold: 30 }) }))).toBe(
      'Guaranteed 290 s (4 min 50 s) to start. SIGTERM after 301 s (5 min 1 s) at the latest; dead by 331 s (5 min 31 s).',
    ));

  it('says that nothing is guaranteed where one failure kills', () =>
    expect(headlineOf(facts({ livenessProbe: probe({ failureThreshold: 1 }) }))).toBe(
      'No time to start is guaranteed: one failed probe can kill the container. SIGTERM after 11 s at the latest; dead by 41 s.',
    ));

  it('names less time after a liveness kill', () =>
    expect(headlineOf(facts(OPEN))).toMatch(
      /^Guaranteed 50 s to start, but only 9 s after a liveness kill\. SIGTERM after 61 s/,
    ));

  it('names the preStop hook, which SIGTERM follows', () =>
    expect(headlineOf(facts({ livenessProbe: probe({}, HOOK) }))).toBe(
      'Guaranteed 20 s to start. The preStop hook runs after 31 s at the latest, SIGTERM up to 5 s later; dead by 38 s.',
    ));

  it('says that nothing starts the container again', () =>
    expect(headlineOf(facts(ALL, { restarts: false }))).toMatch(/dead by 91 s, and not started again\.$/));

  it('has no limit without a probe that kills', () => {
    expect(headlineOf(facts({ readinessProbe: probe() }))).toBe(
      'No limit on the time to start: no probe kills the container.',
    );
    expect(headlineOf(facts({}, { mute: ['readinessProbe'] }))).toBe(
      'No limit on the time to start: no probe kills the container. Never Ready, so it gets no traffic.',
    );
  });

  it('of a container that never counts as started is about that alone', () =>
    expect(headlineOf(facts({}, { mute: ['startupProbe', 'readinessProbe'] }))).toBe(
      'Never counts as started, and gets no traffic. No probe kills the container.',
    ));

  it('tells why times are not known, and a reason once', () => {
    expect(headlineOf(facts({}, unknown('starts')))).toBe(`Its times are not known: ${WHY}.`);
    const same = new Map([
      ['starts', WHY],
      ['traffic', WHY],
    ] as const);
    expect(headlineOf(facts({}, { unknown: same }))).toBe(`Its times are not known: ${WHY}.`);
    expect(headlineOf(facts({}, unknown('starts', 'traffic')))).toBe(
      `Its times are not known: ${WHY}. Its traffic is not known: its readinessProbe cannot work (x).`,
    );
    expect(headlineOf(facts({ livenessProbe: probe() }, unknown('traffic')))).toMatch(
      /dead by 61 s\. Its traffic is not known: its startupProbe cannot work \(probe-host\)\.$/,
    );
    expect(headlineOf(facts({}, { ...unknown('starts', 'traffic'), mute: ['readinessProbe'] }))).toBe(
      `Its times are not known: ${WHY}. Never Ready, so it gets no traffic.`,
    );
  });
});

describe('the line about starts', () => {
  const starts = (...given: Parameters<typeof lines>): string | undefined => lines(...given)['starts'];

  it('has what is guaranteed, and the kill', () => {
    expect(starts(facts(ALL))).toBe('50 s guaranteed; SIGTERM by 61 s, dead by 91 s');
    expect(starts(facts({ livenessProbe: probe({ failureThreshold: 1 }, HOOK) }))).toBe(
      'no time is guaranteed; preStop hook by 11 s, dead by 18 s',
    );
    expect(starts(facts(OPEN))).toBe('50 s guaranteed, only 9 s after a liveness kill; SIGTERM by 61 s, dead by 91 s');
    expect(starts(facts(ALL, { restarts: false }))).toMatch(/dead by 91 s, not started again$/);
  });

  it('says where the guaranteed time comes from, unless a policy writes the number', () => {
    const text = 'by its livenessProbe';
    const of = (isWritten: boolean, kind: ProbeKind = 'startupProbe'): string | undefined =>
      starts(facts(ALL), { probes: [explained(kind, 'ClusterProbePolicy/base', { text, isWritten })] });
    expect(of(false)).toBe('50 s guaranteed by its livenessProbe; SIGTERM by 61 s, dead by 91 s');
    expect(of(true)).toBe('50 s guaranteed; SIGTERM by 61 s, dead by 91 s');
    expect(of(false, 'livenessProbe')).toBe(of(true));
  });

  it('has measured starts', () => {
    expect(starts(facts({}, { measured: [22, 41] }))).toBe(
      'no limit: no probe kills it while it starts; 2 measured starts: 22 to 41 s',
    );
    expect(starts(facts({}, { measured: [41] }))).toMatch(/; one measured start: 41 s$/);
  });

  it('says what is not known, and that a container never counts as started', () => {
    expect(starts(facts({}, unknown('starts')))).toBe(`not known: ${WHY}`);
    expect(starts(facts({}, { ...unknown('starts'), mute: ['startupProbe'] }))).toBe(
      'never counts as started, and no probe kills it (named-port)',
    );
    expect(starts(facts({ livenessProbe: probe() }, { mute: ['readinessProbe'] }))).toMatch(/^20 s guaranteed/);
  });
});

describe('the line about hangs', () => {
  const hangs = (...given: Parameters<typeof facts>): string | undefined => lines(facts(...given))['hangs'];

  it('has when the liveness probe kills', () => {
    expect(hangs({ livenessProbe: probe() })).toBe('SIGTERM after 20 to 31 s, dead by 61 s');
    expect(hangs({ livenessProbe: probe({}, HOOK) })).toBe('preStop hook after 20 to 31 s, dead by 38 s');
  });

  it('says why no probe restarts the container', () => {
    expect(hangs({ startupProbe: STARTUP })).toBe('no probe restarts it: there is no liveness probe');
    expect(hangs({}, { hasLiveness: true, mute: ['livenessProbe'] })).toBe(
      'no probe restarts it: the liveness probe never has a result (named-port)',
    );
    expect(hangs({}, { hasLiveness: true, mute: ['startupProbe'] })).toBe(
      'no probe restarts it: the liveness probe never runs (named-port)',
    );
  });

  it('says what is not known', () =>
    expect(hangs({ livenessProbe: probe() }, unknown('hangs'))).toBe(`not known: ${WHY}`));
});

describe('the line about traffic', () => {
  const traffic = (...given: Parameters<typeof facts>): string | undefined => lines(facts(...given))['traffic'];

  it('has when the container is Ready, and when it is taken out and put back', () => {
    expect(traffic({ readinessProbe: probe() })).toBe(
      'Ready 0 to 11 s after an instant start; off 20 to 31 s after it fails, on again within 11 s',
    );
    const slow = { livenessProbe: probe(), readinessProbe: probe({ failureThreshold: 30 }) };
    expect(traffic(slow)).toContain('; off 20 to 61 s after it fails');
  });

  it('says that a container without readiness probe gets traffic that it cannot serve', () =>
    expect(traffic({ livenessProbe: probe() })).toBe('even when it cannot serve: no readiness probe'));

  it('says that there is none, or what is not known', () => {
    expect(traffic({}, { mute: ['readinessProbe'], ...unknown('traffic') })).toBe(
      'none: the container is never Ready (named-port)',
    );
    expect(traffic({ readinessProbe: probe() }, unknown('traffic'))).toBe(`not known: ${WHY}`);
  });
});

describe('the other lines', () => {
  it('name who gives which probes', () => {
    const probes = [
      explained('startupProbe', 'ClusterProbePolicy/base'),
      explained('livenessProbe', 'the manifest'),
      explained('readinessProbe', 'ClusterProbePolicy/base'),
    ];
    expect(lines(facts({}), { probes })['probes']).toBe(
      'startup, readiness from ClusterProbePolicy/base; liveness from the manifest',
    );
    expect(lines(facts({}))['probes']).toBe('none');
  });

  it('have the first sentence of the first caveat, and how many there are', () => {
    const note = (...caveats: string[]): string | undefined => lines(facts({}), { caveats })['note'];
    expect(note()).toBeUndefined();
    expect(note('First 1.5 s. Second.')).toBe('First 1.5 s.');
    expect(note('One\nline. Other', 'b', 'c')).toBe('(1 of 3) One\nline.');
    expect(note('no sentence')).toBe('no sentence');
    expect(note('ends.')).toBe('ends.');
  });

  it('leave out the caveat whose numbers the line about starts has', () => {
    const container = decidedContainer({}).container;
    const caveats = caveatsOf(container, new Map(), facts(OPEN).figures, []);
    expect(caveats).toHaveLength(1);
    expect(lines(facts(OPEN), { caveats })).not.toHaveProperty('note');
    expect(lines(facts(OPEN), { caveats: [...caveats, 'Other.'] })['note']).toBe('Other.');
  });

  it('are in the order of a life', () =>
    expect(Object.keys(lines(facts({}), { caveats: ['a'] }))).toEqual([
      'starts',
      'hangs',
      'traffic',
      'probes',
      'note',
    ]));
});

describe('what a reader must know', () => {
  const HTTP = { httpGet: { path: '/', port: 'web' } };
  const caveats = (
    container: JsonObject,
    {
      mute = [],
      probes = {},
      broken = [],
    }: {
      mute?: readonly ProbeKind[];
      probes?: Readonly<Record<string, object>>;
      broken?: readonly Pick<BrokenProbe, 'probe' | 'check' | 'message' | 'hidesFailures'>[];
    } = {},
  ): string[] =>
    caveatsOf(
      decidedContainer(container).container,
      new Map(mute.map((kind) => [kind, 'web'])),
      facts(probes).figures,
      broken as readonly BrokenProbe[],
    );

  it('is which probes never have a result, and what the container loses by that', () => {
    const container = { startupProbe: HTTP, livenessProbe: HTTP, readinessProbe: HTTP };
    const lost = 'this container does not declare port "web". The kubelet discards every result (named-port).';
    expect(caveats(container, { mute: ['startupProbe', 'livenessProbe', 'readinessProbe'] }).toSorted()).toEqual([
      `livenessProbe: ${lost} The probe never kills the container.`,
      `readinessProbe: ${lost} The container is never Ready.`,
      `startupProbe: ${lost} The container never counts as started, and its other probes never run.`,
    ]);
    expect(caveats(container)).toEqual([]);
  });

  it('is that a probe is no object', () =>
    expect(caveats({ livenessProbe: 'x' })).toEqual(['livenessProbe is not an object: the API server rejects it.']));

  it('is which probes cannot work, or hide failures, before all else', () => {
    const fault = (kind: ProbeKind, hidesFailures: boolean) => ({
      ...{ probe: kind, check: 'some-check', message: 'it fails', hidesFailures },
    });
    const kinds = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;
    expect(caveats({ livenessProbe: 'x' }, { broken: [fault('livenessProbe', false)] })).toEqual([
      'livenessProbe cannot work (some-check): it fails.',
      'livenessProbe is not an object: the API server rejects it.',
    ]);
    expect(caveats({}, { broken: kinds.map((kind) => fault(kind, true)) })).toEqual([
      'startupProbe passes while the application answers errors (some-check): it fails.',
      'livenessProbe never restarts an application that answers errors (some-check): it fails.',
      'readinessProbe never takes traffic from an application that answers errors (some-check): it fails.',
    ]);
  });

  it('is that a liveness kill opens the startup gate, where that leaves less time', () => {
    expect(caveats({}, { probes: OPEN })).toEqual([
      'After a liveness kill, Kubernetes 1.35 to 1.37 may kill the container again 9 s after the restart: the liveness ' +
        'probe runs for up to 10 s before the startup probe holds it back (kubernetes/kubernetes#141155).',
    ]);
    expect(caveats({}, { probes: ALL })).toEqual([]);
    expect(caveats({}, { probes: { livenessProbe: probe() } })).toEqual([]);
  });

  it('is that the grace period of a probe is not used where the kill ends the Pod', () => {
    const own = { ...HTTP, terminationGracePeriodSeconds: 7 };
    const caveatsOfPod = (restartPolicy: string): string[] => {
      const container = { livenessProbe: own, startupProbe: HTTP, readinessProbe: own };
      const spec = { restartPolicy, terminationGracePeriodSeconds: 45 };
      return caveatsOf(decidedContainer(container, { spec }).container, new Map(), [], []);
    };
    expect(caveatsOfPod('Never')).toEqual([
      "livenessProbe: its terminationGracePeriodSeconds is not used, because restartPolicy Never ends the Pod. The Pod's 45 s count.",
    ]);
    expect(caveatsOfPod('Always')).toEqual([]);
  });
});
