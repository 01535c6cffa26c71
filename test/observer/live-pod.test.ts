import { describe, expect, it } from 'vitest';
import { conditionOf, instantOf, liveContainersOf, metadataOf } from '../../src/observer/live-pod.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const at = (second: number): string => new Date(second * 1000).toISOString();
const container = (status: object, spec: object = {}, podSpec: object = {}): object | undefined => {
  const pod = { spec: { containers: [{ name: 'app', ...spec }], ...podSpec }, status: { containerStatuses: [status] } };
  return liveContainersOf(pod)?.containers[0];
};
const app = (status: object): object => ({ name: 'app', ...status });
const ended = (end: object): object => ({ terminated: { startedAt: at(1), finishedAt: at(5), ...end } });

describe('a live container', () => {
  it('that the kubelet has told nothing about has no status', () => {
    expect(container({ name: 'other', ready: true, restartCount: 3 })).toMatchObject({
      hasStatus: false,
      running: undefined,
      ready: false,
      started: false,
      isRestart: false,
      restarts: 0,
      waiting: undefined,
      ends: [],
    });
  });

  it('runs since the instant that its status names', () => {
    const status = app({ containerID: 'c1', ready: true, started: true, state: { running: { startedAt: at(7) } } });
    expect(container(status, { image: 'web:1' })).toMatchObject({
      image: 'web:1',
      hasStatus: true,
      running: { containerID: 'c1', startedAt: 7000 },
      ready: true,
      started: true,
      isRestart: false,
    });
    expect(container(app({ state: { running: {} } }))).toMatchObject({ running: undefined });
  });

  it('is a restart by its count, and by its last state, which a restarted node keeps', () => {
    expect(container(app({ restartCount: 1 }))).toMatchObject({ isRestart: true, restarts: 1 });
    expect(container(app({ restartCount: 0, lastState: ended({}) }))).toMatchObject({ isRestart: true, restarts: 0 });
    expect(container(app({ restartCount: '2' }))).toMatchObject({ isRestart: false, restarts: 0 });
  });

  it('has ends with exit codes, the latest first; without a code, the code is 0', () => {
    const latest = ended({ containerID: 'c2', exitCode: 3 });
    const last = ended({ containerID: 'c1' });
    expect(container(app({ state: latest, lastState: last }))).toMatchObject({
      ends: [
        { containerID: 'c2', run: { from: 1000, until: 5000, exitCode: 3, bySignal: false, isForced: false } },
        { containerID: 'c1', run: { exitCode: 0, bySignal: false } },
      ],
    });
    expect(container(app({ state: ended({ finishedAt: 'soon' }) }))).toMatchObject({ ends: [] });
  });

  it.each([
    [137, {}, { bySignal: true, isForced: true, outOfMemory: false }],
    [143, {}, { bySignal: true, isForced: false, outOfMemory: false }],
    [137, { reason: 'OOMKilled' }, { bySignal: true, isForced: true, outOfMemory: true }],
    [1, { reason: 'Error' }, { bySignal: false, isForced: false, outOfMemory: false }],
  ])('that ended with %i and %o ended so: %o', (exitCode, end, run) => {
    expect(container(app({ lastState: ended({ exitCode, ...end }) }))).toMatchObject({ ends: [{ run }] });
  });

  it('waits for the reason that the kubelet gives', () => {
    const state = { waiting: { reason: 'CrashLoopBackOff' } };
    expect(container(app({ state }))).toMatchObject({ waiting: 'CrashLoopBackOff' });
  });

  it('is not started again after a kill, where the restartPolicy is Never and no rule covers its exit code', () => {
    const failed = app({ state: ended({ exitCode: 1 }) });
    const never = { restartPolicy: 'Never' };
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }];
    expect(container(failed)).toMatchObject({ isLast: false });
    expect(container(failed, {}, { restartPolicy: 'OnFailure' })).toMatchObject({ isLast: false });
    expect(container(failed, {}, never)).toMatchObject({ isLast: true });
    expect(container(failed, { restartPolicyRules }, never)).toMatchObject({ isLast: false });
    const other = app({ state: ended({ exitCode: 2 }), lastState: ended({ exitCode: 1 }) });
    expect(container(other, { restartPolicyRules }, never)).toMatchObject({ isLast: true });
  });

  it('has the probes that are written as objects, with their numbers and how they kill', () => {
    const livenessProbe = { periodSeconds: 7, terminationGracePeriodSeconds: 4 };
    const lifecycle = { preStop: { exec: { command: ['true'] } } };
    const spec = { livenessProbe, readinessProbe: 'none', startupProbe: null, lifecycle };
    const found = container(app({}), spec, { terminationGracePeriodSeconds: 60 });
    expect(found).toMatchObject({
      probes: {
        livenessProbe: {
          written: livenessProbe,
          timing: { periodSeconds: 7, failureThreshold: 3 },
          kill: { graceSeconds: 4, hasPreStop: true },
        },
      },
    });
    expect(Object.keys((found as { probes: object }).probes)).toEqual(['livenessProbe']);
  });
});

describe('the containers of a live Pod', () => {
  const many = (count: number): JsonObject => ({
    spec: { containers: Array.from({ length: count }, (_, index) => ({ name: `c${index}` })) },
  });

  it('are the first hundred, and the answer says whether there are more', () => {
    expect(liveContainersOf(many(100))).toMatchObject({ areAll: true, containers: { length: 100 } });
    expect(liveContainersOf(many(101))).toMatchObject({ areAll: false, containers: { length: 100 } });
  });

  it('are counted among the wanted ones only', () => {
    const found = liveContainersOf(many(101), ({ name }) => name === 'c100');
    expect(found).toMatchObject({ areAll: true, containers: [{ name: 'c100' }] });
  });

  it('find the status of an init container by its name', () => {
    const spec = { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }], containers: [{ name: 'app' }] };
    const status = { initContainerStatuses: [{ name: 'proxy', ready: true }], containerStatuses: [{ name: 'app' }] };
    const found = liveContainersOf({ spec, status });
    expect(found?.containers.map(({ name, role, ready }) => [name, role, ready])).toEqual([
      ['app', 'application', false],
      ['proxy', 'sidecar', true],
    ]);
  });

  it('are unknown without a spec, and end where the restartPolicy says so', () => {
    expect(liveContainersOf({ status: {} })).toBeUndefined();
    expect(liveContainersOf({ spec: {} })).toMatchObject({ runsForever: true });
    expect(liveContainersOf({ spec: { restartPolicy: 'Never' } })).toMatchObject({ runsForever: false });
  });
});

describe('the fields of a live Pod', () => {
  it('are instants in milliseconds, or nothing', () => {
    expect(instantOf({ at: '1970-01-01T00:00:02Z' }, 'at')).toBe(2000);
    expect(instantOf({ at: 'soon' }, 'at')).toBeUndefined();
    expect(instantOf({ at: 2 }, 'at')).toBeUndefined();
  });

  it('are conditions with the time of their change', () => {
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: '1970-01-01T00:00:02Z' };
    const pod = (changed: object): JsonObject => ({ status: { conditions: [{ ...condition, ...changed }] } });
    expect(conditionOf(pod({}), 'Ready')).toEqual({ isTrue: true, since: 2000 });
    expect(conditionOf(pod({ status: 'Unknown' }), 'Ready')).toEqual({ isTrue: false, since: 2000 });
    expect(conditionOf(pod({ lastTransitionTime: null }), 'Ready')).toBeUndefined();
    expect(conditionOf(pod({}), 'Initialized')).toBeUndefined();
  });

  it('are texts of the metadata, or empty', () => {
    expect(metadataOf({ metadata: { name: 'web' } }, 'name')).toBe('web');
    expect(metadataOf({ metadata: { name: 1 } }, 'name')).toBe('');
    expect(metadataOf({}, 'uid')).toBe('');
  });
});
