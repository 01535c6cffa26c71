import { describe, expect, it } from 'vitest';
import { podHealth, type PodHealth } from '../../../src/observer/failing/pod-health.ts';
import { CRASH_LOOP } from '../../../src/observer/failing/pod-waits.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();
const readinessProbe = { httpGet: { path: '/ready', port: 8080 }, timeoutSeconds: 3 };
const running = (seconds = 10): JsonObject => ({ running: { startedAt: at(seconds) } });
const waiting = (reason: string): JsonObject => ({ waiting: { reason } });
const ended = (exitCode: number): JsonObject => ({
  terminated: { startedAt: at(10), finishedAt: at(20), exitCode },
});

interface Given {
  readonly container?: JsonObject;
  readonly status?: JsonObject;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
  readonly phase?: string;
  /** The condition ContainersReady; undefined = the status has none. */
  readonly condition?: readonly [status: string, seconds: number] | undefined;
  readonly initStatus?: JsonObject;
}

/** A Pod with one container `app`, whose readiness probe succeeds. */
function given({
  container,
  status,
  spec,
  metadata,
  phase = 'Running',
  condition,
  initStatus,
}: Given = {}): JsonObject {
  const [is, since] = condition ?? [];
  const own = { name: 'app', ready: true, started: true, restartCount: 0, state: running(), ...status };
  return {
    metadata: { namespace: 'apps', name: 'web', uid: 'u', ...metadata },
    spec: { containers: [{ name: 'app', readinessProbe, ...container }], ...spec },
    status: {
      phase,
      conditions: since === undefined ? [] : [{ type: 'ContainersReady', status: is, lastTransitionTime: at(since) }],
      containerStatuses: [own],
      ...(initStatus && { initContainerStatuses: [{ name: 'first', ...initStatus }] }),
    },
  };
}
const healthOf = (one?: Given): PodHealth | undefined => podHealth(given(one));
const troubled = (one: Given): string[] | undefined => healthOf(one)?.troubles.map(({ name }) => name);

describe('the health of a Pod', () => {
  it('has its containers with their probes, their limits and what their status tells', () => {
    expect(healthOf({ condition: ['True', 12] })).toMatchObject({
      uid: 'u',
      isReady: true,
      hasTrouble: false,
      hasEnded: false,
      changedAt: 12_000,
      unreadySince: undefined,
      troubles: [],
      containers: [
        {
          name: 'app',
          started: true,
          ready: true,
          restarts: 0,
          waiting: undefined,
          isLast: false,
          runningSince: 10_000,
          wasReady: false,
          ended: undefined,
          probes: { readinessProbe: { asks: 'httpGet /ready on port 8080', timeoutSeconds: 3, injectedBy: undefined } },
          limits: { hasStartupProbe: false, earliestKillSeconds: undefined },
        },
      ],
    });
    expect(Object.keys(healthOf()?.containers[0]?.probes ?? {})).toEqual(['readinessProbe']);
  });

  it.each<[string, JsonObject]>([
    ['is being deleted', given({ metadata: { deletionTimestamp: at(20) } })],
    ['has succeeded', given({ phase: 'Succeeded' })],
    ['has no UID', given({ metadata: { uid: undefined } })],
    ['has no metadata', { ...given(), metadata: undefined }],
    ['has no spec', { ...given(), spec: undefined }],
    ['has no probes, and runs', given({ container: { readinessProbe: undefined } })],
  ])('is none for a Pod that %s', (_, pod) => {
    expect(podHealth(pod)).toBeUndefined();
  });

  it('is told of a Pod that has failed, as one that has ended', () => {
    expect(healthOf({ phase: 'Failed' })?.hasEnded).toBe(true);
  });

  it('names who injected a probe, and quotes at most 80 characters of what the probe asks', () => {
    const annotations = { 'probewright.dev/injected': '{"app":{"readinessProbe":"ProbePolicy/apps/static"}}' };
    const asked = (length: number): string | undefined => {
      const path = '/'.padEnd(length - 'httpGet  on port 8080'.length, 'x');
      const container = { readinessProbe: { httpGet: { path, port: 8080 } } };
      return healthOf({ container, metadata: { annotations } })?.containers[0]?.probes.readinessProbe?.asks;
    };
    expect([asked(80)?.length, asked(80)?.endsWith('8080')]).toEqual([80, true]);
    expect([asked(81)?.length, asked(81)?.endsWith('...')]).toEqual([80, true]);
    expect(healthOf({ metadata: { annotations } })?.containers[0]?.probes.readinessProbe?.injectedBy).toEqual({
      layer: 'ProbePolicy/apps/static',
    });
  });

  it.each<[string, JsonObject, boolean, boolean]>([
    ['is ready', { ready: true }, true, false],
    ['is not ready', { ready: false }, false, true],
    ['is ready again after a restart', { restartCount: 1 }, true, true],
  ])('of one that %s', (_, status, isReady, hasTrouble) => {
    expect(healthOf({ status })).toMatchObject({ isReady, hasTrouble });
  });

  it('is ready only if all its containers are', () => {
    const pod = given({ spec: { containers: [{ name: 'app', readinessProbe }, { name: 'b' }] } });
    const status = { containerStatuses: [{ name: 'app', ready: true }, { name: 'b' }] };
    expect(podHealth({ ...pod, status })).toMatchObject({ isReady: false, hasTrouble: true });
  });

  it('is troubled while a plain init container is not done, which is none of its running containers', () => {
    const spec = { initContainers: [{ name: 'first' }] };
    const health = (ready: boolean): PodHealth | undefined => healthOf({ spec, initStatus: { ready } });
    expect(health(false)).toMatchObject({ isReady: true, hasTrouble: true, containers: [{ name: 'app' }] });
    expect(health(true)).toMatchObject({ isReady: true, hasTrouble: false, containers: [{ name: 'app' }] });
  });

  it('has no ephemeral container', () => {
    const pod = given({ spec: { ephemeralContainers: [{ name: 'debug' }] } });
    const status = { ...(pod['status'] as JsonObject), ephemeralContainerStatuses: [{ name: 'debug', ready: false }] };
    const containerStatuses = [
      ...(status as unknown as { containerStatuses: [] }).containerStatuses,
      { name: 'debug' },
    ];
    expect(podHealth({ ...pod, status: { ...status, containerStatuses } })).toMatchObject({
      hasTrouble: false,
      containers: [{ name: 'app' }],
    });
  });
});

describe('a container was ready', () => {
  const unready = { ready: false };
  const since = (condition: Given['condition'], status: JsonObject = unready): unknown => {
    const { containers, unreadySince, changedAt } = healthOf({ condition, status }) as PodHealth;
    return [containers[0]?.wasReady, unreadySince, changedAt];
  };

  it('when the Pod stopped being ready 2 s or more after the start of the container', () => {
    expect(since(['False', 12])).toEqual([true, 12_000, 12_000]);
    expect(since(['False', 11.999])).toEqual([false, undefined, 11_999]);
  });

  it('not while the Pod is ready, without a condition, or when nothing runs', () => {
    expect(since(['True', 99], {})).toEqual([false, undefined, 99_000]);
    expect(since(undefined)).toEqual([false, undefined, undefined]);
    expect(since(['False', 99], { ready: false, state: waiting(CRASH_LOOP) })).toEqual([false, undefined, 99_000]);
  });

  it('and the Pod has been unready since then only if all its containers were', () => {
    const pod = given({ condition: ['False', 50], status: unready });
    const started = (seconds: number): PodHealth | undefined => {
      const app = { name: 'app', ready: false, state: running() };
      const containerStatuses = [app, { ...app, name: 'b', state: running(seconds) }];
      const spec = { containers: [{ name: 'app', readinessProbe }, { name: 'b' }] };
      return podHealth({ ...pod, spec, status: { ...(pod['status'] as JsonObject), containerStatuses } });
    };
    expect([started(10)?.unreadySince, started(49)?.unreadySince]).toEqual([50_000, undefined]);
  });
});

describe('a container may end again and again', () => {
  const without = { readinessProbe: undefined };

  it('when it is in its back-off, also without probes', () => {
    expect(troubled({ container: without, status: { ready: false, state: waiting(CRASH_LOOP) } })).toEqual(['app']);
  });

  it('not when it waits for anything else', () => {
    expect(troubled({ status: { ready: false, state: waiting('ContainerCreating') } })).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ['once', { restartCount: 1, lastState: ended(1) }, []],
    ['twice', { restartCount: 2, lastState: ended(1) }, ['app']],
    ['twice, and nothing tells its end', { restartCount: 2 }, []],
  ])('when it has been restarted %s', (_, status, names) => {
    expect(troubled({ status })).toEqual(names);
  });

  it.each<[string, string, JsonObject, string[]]>([
    ['has failed', 'OnFailure', { state: ended(1) }, ['app']],
    ['has succeeded', 'OnFailure', { state: ended(0) }, []],
    ['has succeeded, and is started again', 'Always', { state: ended(0) }, ['app']],
    ['runs after a success', 'OnFailure', { state: running(), lastState: ended(0) }, ['app']],
    ['waits after a success', 'OnFailure', { state: waiting('ContainerCreating'), lastState: ended(0) }, ['app']],
  ])('after two restarts, when it %s (restartPolicy %s)', (_, restartPolicy, status, names) => {
    expect(troubled({ spec: { restartPolicy }, status: { restartCount: 2, ...status } })).toEqual(names);
  });

  it('also as an init container: that one is done after a success, whatever the policy', () => {
    const init = (status: JsonObject): string[] | undefined =>
      troubled({ spec: { initContainers: [{ name: 'first' }] }, initStatus: { restartCount: 2, ...status } });
    expect(init({ ready: false, state: ended(1) })).toEqual(['first']);
    expect(init({ ready: true, state: ended(0) })).toEqual([]);
  });

  it('keeps its last end and its waiting state for the finding', () => {
    const status = { ready: false, restartCount: 3, state: waiting(CRASH_LOOP), lastState: ended(137) };
    expect(healthOf({ status })?.troubles[0]).toMatchObject({
      waiting: CRASH_LOOP,
      restarts: 3,
      runningSince: undefined,
      ended: { from: 10_000, until: 20_000, exitCode: 137 },
    });
  });
});

describe('a Pod whose probes the mesh leaves plain', () => {
  const metadata = { annotations: { 'sidecar.istio.io/rewriteAppHTTPProbers': 'false' } };
  const refused = (one: Given): (boolean | undefined)[] =>
    Object.values(healthOf(one)?.containers[0]?.probes ?? {}).map(({ isRefusedByMesh }) => isRefusedByMesh);
  const inMesh = { containers: [{ name: 'app', readinessProbe }, { name: 'istio-proxy' }] };

  it('has probes that its proxy refuses, but for commands', () => {
    expect(refused({ metadata, spec: inMesh })).toEqual([true]);
    const exec = {
      containers: [{ name: 'app', readinessProbe: { exec: { command: ['x'] } } }, { name: 'istio-proxy' }],
    };
    expect(refused({ metadata, spec: exec })).toEqual([undefined]);
  });

  it('is one with the annotation and a proxy', () => {
    expect(refused({ spec: inMesh })).toEqual([undefined]);
    expect(refused({ metadata })).toEqual([undefined]);
  });
});
