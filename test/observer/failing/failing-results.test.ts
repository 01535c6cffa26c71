import { describe, expect, it } from 'vitest';
import { injectedBy } from '../../../src/engine/defaulting/injected-by.ts';
import { CAUSE_TEXTS, type FailureCause } from '../../../src/observer/failing/causes.ts';
import {
  countedResults,
  failingCauses,
  failingResults,
  failureMessage,
  failureRemedy,
  sharedTroubles,
  type Candidate,
  type SharedTrouble,
} from '../../../src/observer/failing/failing-results.ts';
import type { Failure } from '../../../src/observer/failing/diagnosis.ts';
import type { PodHealth } from '../../../src/observer/failing/pod-health.ts';
import type { NamedObject } from '../../../src/observer/observed-workload.ts';

const failure = (more: Partial<Failure> = {}): Failure => ({
  container: 'app',
  probe: 'readinessProbe',
  cause: 'http-404',
  described: undefined,
  ...more,
});
const named = (name: string, namespace = 'apps'): NamedObject => ({
  namespace,
  group: 'apps',
  kind: 'Deployment',
  name,
});

describe('texts of findings', () => {
  it('have at most 200 characters, without digits that drift', () => {
    for (const cause of Object.keys(CAUSE_TEXTS) as FailureCause[]) {
      const described = { asks: 'httpGet '.padEnd(80, 'x'), injectedBy: { layer: 'ProbePolicy/apps/static' } };
      const failure = { container: 'c'.repeat(253), probe: 'readinessProbe', cause, described } as const;
      expect(failureMessage(failure).length).toBeLessThanOrEqual(200);
      expect(failureRemedy(failure)).toMatch(/\. ProbePolicy\/apps\/static injects the probe\.$/);
      expect(CAUSE_TEXTS[cause].remedy.length).toBeLessThanOrEqual(200);
    }
  });

  it('name the container, the probe, what it asks and what to write', () => {
    const described = { asks: 'httpGet /healthz on port http', injectedBy: undefined };
    const failure = { container: 'app', probe: 'readinessProbe', cause: 'http-404', described } as const;
    expect(failureMessage(failure)).toBe(
      'container "app": its readinessProbe (httpGet /healthz on port http) gets HTTP status 404',
    );
    expect(failureRemedy(failure)).toBe('Set httpGet.path to a path that the application serves on this port.');
  });

  it.each([
    [
      { livenessProbe: 'ProbePolicy/apps/static', startupProbe: 'safety' },
      'the startupProbe (httpGet /l on port http) that ProbePolicy/apps/static injected (safety)',
      'ProbePolicy/apps/static (safety) injects the probe.',
    ],
    [
      { startupProbe: 'safety' },
      'the startupProbe (httpGet /l on port http) that Probewright injected (safety)',
      'Probewright (safety) injects the probe.',
    ],
    [
      { startupProbe: 'annotation' },
      'the startupProbe (httpGet /l on port http) that an annotation of the workload injected',
      'An annotation of the workload injects the probe.',
    ],
    [
      { startupProbe: 'own livenessProbe; ProbePolicy/apps/static' },
      'the startupProbe (httpGet /l on port http) that ProbePolicy/apps/static injected (with the handler of the own livenessProbe)',
      'ProbePolicy/apps/static (with the handler of the own livenessProbe) injects the probe.',
    ],
    [{ startupProbe: 'x\u001b[2J' }, 'its startupProbe (httpGet /l on port http)', undefined],
  ])('name who injected the probe by the annotation of the Pod: %j', (sources, text, remedy) => {
    const by = injectedBy(new Map(Object.entries(sources)), 'startupProbe');
    const described = { asks: 'httpGet /l on port http', injectedBy: by };
    const failure = { container: 'app', probe: 'startupProbe', cause: 'http-404', described } as const;
    expect(failureMessage(failure)).toBe(`container "app": ${text} gets HTTP status 404`);
    const base = 'Set httpGet.path to a path that the application serves on this port.';
    expect(failureRemedy(failure)).toBe(remedy === undefined ? base : `${base} ${remedy}`);
  });

  it('leave out what the probe asks when it is not known, or when the message would be longer', () => {
    expect(failureMessage(failure())).toBe('container "app": its readinessProbe gets HTTP status 404');
    expect(failureMessage(failure({ described: { asks: '', injectedBy: undefined } }))).toBe(
      'container "app": its readinessProbe gets HTTP status 404',
    );
    const short = 'container "app": its readinessProbe () gets HTTP status 404'.length - '()'.length;
    const asking = (length: number): string =>
      failureMessage(failure({ described: { asks: 'x'.repeat(length - short - '()'.length), injectedBy: undefined } }));
    expect(asking(200)).toHaveLength(200);
    expect(asking(201)).toBe('container "app": its readinessProbe gets HTTP status 404');
  });

  it('cut the name of a container after 63 characters, and only where there is no room', () => {
    const name = 'c'.repeat(64);
    const cutName = `"${'c'.repeat(60)}..."`;
    const crash = { probe: undefined, cause: 'crash-loop' } as const;
    expect(failureMessage(failure({ ...crash, container: name }))).toBe(`container ${cutName} ends again and again`);
    expect(failureMessage(failure({ ...crash, container: 'c'.repeat(63) }))).toContain('c'.repeat(63));
    expect(failureMessage(failure({ container: name }))).toContain(name);
    const described = { asks: 'x'.repeat(100), injectedBy: undefined };
    expect(failureMessage(failure({ container: name, described }))).toContain(cutName);
  });

  it.each([
    ['startupProbe', ': it never has a result, and the container never starts'],
    ['livenessProbe', ': it never has a result, and protects nothing'],
    ['readinessProbe', ': it never has a result'],
  ] as const)('say what follows when the results of a %s are thrown away', (probe, effect) => {
    const message = failureMessage(failure({ probe, isVoid: true }));
    expect(message).toBe(`container "app": its ${probe} gets HTTP status 404${effect}`);
    expect(failureMessage(failure({ probe, isVoid: false }))).not.toContain('result');
  });

  it.each<[string, Partial<Failure>, string]>([
    ['a timeout', { cause: 'timeout' }, 'gets no answer within'],
    ['a timeout without a result', { cause: 'timeout', isVoid: true }, 'gets an answer that does not end within'],
    ['another cause without a result', { cause: 'http-401', isVoid: true }, 'gets HTTP status 401'],
    ['a refused connection', { cause: 'connection-refused' }, 'gets no connection'],
    [
      'a refused connection of a gRPC probe',
      { cause: 'connection-refused', described: { asks: 'grpc port 9000', injectedBy: undefined } },
      'gets no connection, or the port speaks no gRPC',
    ],
    [
      'another cause of a gRPC probe',
      { cause: 'grpc-unhealthy', described: { asks: 'grpc port 9000', injectedBy: undefined } },
      'is told by the gRPC health service',
    ],
    ['a slow start', { cause: 'killed-while-starting' }, 'stops the container before the container has started'],
  ])('have the words for %s', (_, more, words) => {
    expect(failureMessage(failure(more))).toContain(words);
  });

  it('advise other figures where the liveness probe does not wait for the startup probe', () => {
    const kill = { probe: 'livenessProbe', cause: 'killed-while-starting' } as const;
    expect(failureRemedy(failure({ ...kill, probe: 'startupProbe' }))).toContain(
      'of startupProbe above the longest start',
    );
    // The container has no startup probe: no number of one is advised.
    expect(failureRemedy(failure(kill))).toMatch(/^Add a startupProbe /);
    expect(failureRemedy(failure({ ...kill, isEarly: false }))).toBe(failureRemedy(failure(kill)));
    expect(failureRemedy(failure({ ...kill, isEarly: true }))).toContain('of livenessProbe at least');
  });
});

describe('a start that a learned startup probe stops', () => {
  const by = { layer: 'ProbePolicy/apps/static', learnedSeconds: 31 };
  const kill = { probe: 'startupProbe', cause: 'killed-while-starting' } as const;
  const resultOf = (more: Partial<Failure>) =>
    failingResults({ workload: named('web'), failures: [failure(more)], shared: undefined })[0] ?? expect.fail();

  it('was learned too short: the command gives its Pods more time', () => {
    const { message, properties } = resultOf({ ...kill, described: { asks: '', injectedBy: by } });
    expect(message).toContain('before it has started: learned too short; new Pods get more, up to maximumSeconds');
    expect(message.length).toBeLessThanOrEqual(200);
    expect(properties).toMatchObject({
      learnedSeconds: '31',
      fix: 'kubectl rollout restart deployment/web -n apps',
    });
  });

  it('is a slow start as any other where nothing was learned, or another probe stops it', () => {
    const plain = { layer: by.layer };
    for (const more of [
      { ...kill, described: { asks: '', injectedBy: plain } },
      { ...kill, probe: 'livenessProbe', described: { asks: '', injectedBy: by } },
      { ...kill, cause: 'http-404', described: { asks: '', injectedBy: by } },
    ] as const) {
      const { message, properties } = resultOf(more);
      expect(message).not.toContain('learned');
      expect(properties).not.toHaveProperty('learnedSeconds');
    }
  });
});

describe('the results of a workload', () => {
  const facts = { status: 404, since: 1_000, times: 7, restarts: 2, pods: 3 };
  const sharedBy = (count: number, own: number): SharedTrouble => ({
    since: Date.parse('2026-11-20T10:00:00Z'),
    count,
    byNamespace: new Map([['apps', Array.from({ length: own }, (_, index) => named(`w-${index}`))]]),
  });

  it('have the facts that stay, and the numbers that grow only where they are asked for', () => {
    const failing = { workload: named('web'), failures: [failure({ facts })], shared: undefined };
    const [result, ...others] = failingResults(failing);
    expect(others).toEqual([]);
    expect(result).toStrictEqual({
      policy: 'probewright',
      rule: 'probe-failing',
      category: 'Fails now',
      severity: 'high',
      result: 'warn',
      scored: false,
      message: 'container "app": its readinessProbe gets HTTP status 404',
      properties: {
        cause: 'http-404',
        container: 'app',
        probe: 'readinessProbe',
        status: '404',
        since: '1970-01-01T00:00:01Z',
        fix: 'Set httpGet.path to a path that the application serves on this port.',
      },
    });
    expect(countedResults(failing)[0]?.properties).toStrictEqual({
      ...result?.properties,
      times: '7',
      restarts: '2',
      pods: '3',
    });
  });

  it('about a container name no probe', () => {
    const crash = failure({ probe: undefined, cause: 'crash-loop', facts: { exitCode: 1 } });
    const [result] = failingResults({ workload: named('web'), failures: [crash], shared: undefined });
    expect(result).toMatchObject({ rule: 'container-failing', message: 'container "app" ends again and again' });
    expect(Object.keys(result?.properties ?? {})).toEqual(['cause', 'container', 'exitCode', 'fix']);
  });

  it.each([
    ['ProbePolicy/apps/static', 'ProbePolicy/apps/static'],
    ['safety', 'probewright'],
    ['annotation', 'probewright'],
  ])('of a probe that %s gives are of the policy %s', (layer, policy) => {
    const described = { asks: '', injectedBy: { layer } };
    const [result] = failingResults({ workload: named('web'), failures: [failure({ described })], shared: undefined });
    expect([result?.policy, result?.properties['sources']]).toEqual([policy, layer]);
  });

  it('have what the workload shares with others first, without names of other namespaces', () => {
    const failing = { workload: named('web'), failures: [failure()], shared: sharedBy(3, 2) };
    const [shared, own] = failingResults(failing);
    expect(own?.properties['cause']).toBe('http-404');
    expect(shared).toMatchObject({
      policy: 'probewright',
      rule: 'probe-failing',
      category: 'Fails now',
      severity: 'high',
    });
    expect(shared?.properties).toStrictEqual({
      cause: 'shared-dependency',
      workloads: 'Deployment apps/w-0, Deployment apps/w-1; 1 workload in other namespaces',
      since: '2026-11-20T10:00:00.000Z',
      fix: 'Check what the workloads have in common: a database, a DNS server, a network policy, a node.',
    });
    expect([...failingCauses(failing)]).toEqual(['shared-dependency', 'http-404']);
    expect([...failingCauses({ ...failing, shared: undefined })]).toEqual(['http-404']);
  });

  it('name at most 20 workloads, and count the others', () => {
    const listed = (count: number, own: number): string[] | undefined => {
      const failing = { workload: named('web'), failures: [], shared: sharedBy(count, own) };
      return failingResults(failing)[0]?.properties['workloads']?.split(', ');
    };
    expect(listed(20, 20)).toHaveLength(20);
    expect(listed(20, 20)?.at(-1)).toBe('Deployment apps/w-19');
    expect(listed(21, 21)?.at(-1)).toBe('Deployment apps/w-19 and 1 more');
    expect(listed(24, 22)?.at(-1)).toBe('Deployment apps/w-19 and 2 more; 2 workloads in other namespaces');
  });
});

describe('workloads share a trouble', () => {
  const podOf = (unreadySince: number | undefined, isReady = false, runningSince: number | undefined = 1): PodHealth =>
    ({ isReady, unreadySince, containers: [{ runningSince }] }) as unknown as PodHealth;
  const candidate = (
    key: string,
    since: number | undefined,
    { failures = [failure({ cause: 'http-5xx' })], pods = [podOf(since)], namespace = 'apps' } = {},
  ): Candidate => ({ key, workload: named(key, namespace), failures, pods });
  const NOW = 10_000_000;
  const sharing = (...candidates: readonly Candidate[]): readonly (readonly [string, number])[] =>
    [...sharedTroubles(candidates, NOW)].map(([key, { since }]) => [key, since]);

  it('when three stop being ready within a minute, from the first one on', () => {
    const trouble = sharedTroubles([candidate('c', 61_000), candidate('b', 1_000), candidate('a', 1_000)], NOW);
    const workloads = [named('a'), named('b'), named('c')];
    const shared = { since: 1_000, count: 3, byNamespace: new Map([['apps', workloads]]) };
    expect([...trouble]).toStrictEqual([
      ['a', shared],
      ['b', shared],
      ['c', shared],
    ]);
    expect(sharing(candidate('a', 1_000), candidate('b', 1_000), candidate('c', 61_001))).toEqual([]);
  });

  it('when two of two namespaces do, and not when two of one namespace do', () => {
    expect(sharing(candidate('a', 1_000), candidate('b', 2_000))).toEqual([]);
    const elsewhere = candidate('b', 2_000, { namespace: 'shop' });
    expect(sharing(candidate('a', 1_000), elsewhere)).toEqual([
      ['a', 1_000],
      ['b', 1_000],
    ]);
  });

  it('with those of the same minute, not with earlier or later ones', () => {
    const onsets = [1_000, 70_000, 80_000, 90_000, 200_000, 210_000, 220_000, 300_000];
    expect(sharing(...onsets.map((since, index) => candidate(`w${index}`, since)))).toEqual([
      ['w1', 70_000],
      ['w2', 70_000],
      ['w3', 70_000],
      ['w4', 200_000],
      ['w5', 200_000],
      ['w6', 200_000],
    ]);
  });

  it('once they have failed for 30 s', () => {
    const since = (milliseconds: number): readonly Candidate[] =>
      ['a', 'b', 'c'].map((key) => candidate(key, NOW - milliseconds));
    expect(sharing(...since(30_000))).toHaveLength(3);
    expect(sharing(...since(29_999))).toEqual([]);
  });

  it.each<[string, Partial<Candidate>]>([
    ['has an answer of its own', { failures: [failure({ cause: 'http-404' })] }],
    ['has no failure', { failures: [] }],
    ['has a probe without a result', { failures: [failure({ cause: 'timeout', isVoid: true })] }],
    [
      'is stopped by a probe',
      { failures: [failure({ cause: 'timeout' }), failure({ cause: 'timeout', probe: 'livenessProbe' })] },
    ],
    ['was never ready', { pods: [podOf(undefined)] }],
    ['was never ready in one Pod', { pods: [podOf(1_000), podOf(undefined)] }],
    ['does not run', { pods: [podOf(1_000), { ...podOf(1_000), containers: [{ runningSince: undefined }] } as never] }],
    [
      'has a container that does not run',
      { pods: [{ ...podOf(1_000), containers: [{ runningSince: 1 }, { runningSince: undefined }] } as never] },
    ],
    ['is ready', { pods: [podOf(1_000, true)] }],
  ])('not with a workload that %s', (_, more) => {
    expect(sharing(candidate('a', 1_000), candidate('b', 1_000), { ...candidate('c', 1_000), ...more })).toEqual([]);
  });

  it('also with one that has another cause beside, and Pods that are ready or failed later', () => {
    const failures = [
      failure({ cause: 'http-5xx' }),
      failure({ cause: 'http-404', probe: 'livenessProbe' }),
      failure({ cause: 'timeout', probe: 'livenessProbe', isVoid: true }),
    ];
    const pods = [podOf(1, true), podOf(3_000), podOf(2_000)];
    const other = candidate('c', 0, { failures, pods });
    expect(sharing(candidate('a', 4_000), candidate('b', 4_000), other).map(([, since]) => since)).toEqual([
      2_000, 2_000, 2_000,
    ]);
  });
});
