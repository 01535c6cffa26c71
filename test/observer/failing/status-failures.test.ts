import { describe, expect, it } from 'vitest';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { countedResults, failingResults } from '../../../src/observer/failing/failing-results.ts';
import { podHealth } from '../../../src/observer/failing/pod-health.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();
const workload = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };

/** A run that ended a minute ago, after two minutes. */
const ended = (more: JsonObject = {}): JsonObject => ({
  terminated: { startedAt: at(180), finishedAt: at(60), exitCode: 1, ...more },
});
const LOOP = { waiting: { reason: 'CrashLoopBackOff' } };

interface Scene {
  readonly status: JsonObject;
  readonly container?: JsonObject;
  readonly spec?: JsonObject;
  readonly isInit?: boolean;
  readonly unreadySince?: number;
}

function failing({ status, container, spec, isInit = false, unreadySince = 600 }: Scene, pods = 1): FailingWorkloads {
  const workloads = new FailingWorkloads();
  const own = { name: 'app', ...container };
  const whole = { name: 'app', ready: false, restartCount: 5, ...status };
  for (let serial = 0; serial < pods; serial += 1) {
    const pod = {
      metadata: { namespace: 'apps', name: `web-${serial}`, uid: `u${serial}` },
      spec: isInit
        ? { initContainers: [own], containers: [{ name: 'main' }], ...spec }
        : { containers: [own], ...spec },
      status: {
        phase: 'Running',
        conditions: [{ type: 'ContainersReady', status: 'False', lastTransitionTime: at(unreadySince) }],
        ...(isInit ? { initContainerStatuses: [whole] } : { containerStatuses: [whole] }),
      },
    };
    workloads.seen(`u${serial}`, workload, podHealth(pod));
  }
  return workloads;
}

const told = (scene: Scene): string[] =>
  failing(scene)
    .findings(NOW)
    .flatMap(failingResults)
    .map(({ rule, properties }) => `${rule} ${properties['cause'] ?? ''}`);

const running = (secondsAgo: number): JsonObject => ({ running: { startedAt: at(secondsAgo) } });
const livenessProbe = { tcpSocket: { port: 1 }, periodSeconds: 5, failureThreshold: 2 };
const readinessProbe = { tcpSocket: { port: 1 } };

describe('what the status of a Pod tells alone', () => {
  it.each<[string, Scene, string[]]>([
    ['a container in its back-off', { status: { state: LOOP, lastState: ended() } }, ['crash-loop']],
    ['a container without probes and without a last run', { status: { state: LOOP } }, ['crash-loop']],
    ['a loop between two back-offs', { status: { state: running(20), lastState: ended() } }, ['crash-loop']],
    ['a run that has just ended', { status: { state: ended(), lastState: ended() } }, ['crash-loop']],
    [
      'a container that uses too much memory',
      { status: { state: LOOP, lastState: ended({ exitCode: 137, reason: 'OOMKilled' }) } },
      ['out-of-memory'],
    ],
    ['an init container in a loop', { status: { state: LOOP, lastState: ended() }, isInit: true }, ['crash-loop']],
    [
      'an image that cannot be pulled',
      { status: { state: { waiting: { reason: 'ErrImagePull' } } } },
      ['cannot-start'],
    ],
    [
      'an init container without its ConfigMap',
      { status: { state: { waiting: { reason: 'CreateContainerConfigError' } } }, isInit: true },
      ['cannot-start'],
    ],
    ['a container that is being created', { status: { state: { waiting: { reason: 'ContainerCreating' } } } }, []],
    [
      'an init container that succeeded at last',
      { status: { state: ended({ exitCode: 0 }), ready: true }, isInit: true },
      [],
    ],
    [
      'a container that has succeeded, and stays so',
      { status: { state: ended({ exitCode: 0 }) }, spec: { restartPolicy: 'OnFailure' } },
      [],
    ],
    ['a command that ends, under restartPolicy Always', { status: { state: ended({ exitCode: 0 }) } }, ['crash-loop']],
    [
      'a run after a signal, where a probe may have stopped it',
      { status: { state: running(20), lastState: ended({ exitCode: 143 }) }, container: { livenessProbe } },
      [],
    ],
    [
      'a run after a signal that no probe sent',
      { status: { state: running(20), lastState: ended({ exitCode: 143 }) } },
      ['crash-loop'],
    ],
    ['one crash', { status: { restartCount: 1, state: running(20), lastState: ended() } }, []],
  ])('%s', (_, scene, causes) => {
    expect(told(scene)).toEqual(causes.map((cause) => `container-failing ${cause}`));
  });

  it.each<[string, Scene, string[]]>([
    ['for 6 minutes', { status: { state: running(400), started: true }, unreadySince: 360 }, ['unclear']],
    ['for 4 minutes', { status: { state: running(400), started: true }, unreadySince: 240 }, []],
    ['in a run of a minute', { status: { state: running(60), started: true, restartCount: 0 } }, []],
    ['and no container runs', { status: { state: {}, restartCount: 0 } }, []],
  ])('a readiness probe that fails %s without an event', (_, scene, causes) => {
    expect(told({ ...scene, container: { readinessProbe } })).toEqual(causes.map((cause) => `probe-failing ${cause}`));
  });

  it('says no more where an event of another Pod tells the cause', () => {
    const status = { state: running(600), started: true, restartCount: 0 };
    const workloads = failing({ status, container: { readinessProbe } }, 2);
    const hint = { namespace: 'apps', podUid: 'u0', container: 'app', probe: 'readinessProbe', isVoid: false } as const;
    workloads.hint({ ...hint, cause: 'http-404', times: [NOW - 60_000] }, NOW);
    const causes = workloads.findings(NOW).flatMap(({ failures }) => failures.map(({ cause }) => cause));
    expect(causes).toEqual(['http-404']);
  });

  it('gives a startup probe the time that it has', () => {
    const startupProbe = { tcpSocket: { port: 1 }, periodSeconds: 10, failureThreshold: 60 };
    const scene = (seconds: number): Scene => ({
      status: { state: running(seconds), started: false, restartCount: 0 },
      container: { startupProbe },
      unreadySince: seconds,
    });
    expect(told(scene(500))).toEqual([]);
    expect(told(scene(700))).toEqual(['probe-failing unclear']);
  });

  it('has its figures in properties, for all Pods together, and none that drift in a report', () => {
    const workloads = failing({ status: { state: LOOP, lastState: ended({ exitCode: 3 }) } }, 3);
    const properties = (of: typeof failingResults): unknown => workloads.findings(NOW).flatMap(of)[0]?.properties;
    const fix = 'Read the log of its last run with kubectl logs --previous. The exit code tells how the run ended.';
    const stable = { cause: 'crash-loop', container: 'app', exitCode: '3', fix };
    expect(properties(failingResults)).toEqual(stable);
    expect(properties(countedResults)).toEqual({ ...stable, restarts: '15', pods: '3' });
  });
});
