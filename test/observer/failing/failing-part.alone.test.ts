import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, type ApiRequest, type LineStream } from '../../../src/cluster/client/api-client.ts';
import { FailingPart } from '../../../src/observer/failing/failing-part.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { ExtraResults } from '../../../src/observer/reports/report-result.ts';
import { listOf } from '../../cluster/client/answering-client.ts';
import { fails, observedPod, readinessProbe, status } from '../observed-pod.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { ObserverContext } from '../../../src/observer/observer-part.ts';
import type { PodListener } from '../../../src/observer/pod-watch.ts';

const POD = { namespace: 'apps', group: '', kind: 'Pod', name: 'web-1' };
const NOW = Date.parse('2026-11-20T10:02:00Z');

let part: FailingPart;
let pods: PodListener;
let results: ExtraResults;
let registry: Registry;
let logged: Record<string, unknown>[];
let exempt: string | undefined;
let requests: ApiRequest[];
/** The signals that end the watches of events that are open. */
let watching: AbortSignal[];
/** What the API server answers to a list of events; undefined = those of the failing Pod. */
let answer: Error | undefined;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  [results, registry, logged, requests, watching] = [new ExtraResults(), new Registry(), [], [], []];
  exempt = answer = undefined;
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const client = {
    measured: (request: ApiRequest) => {
      requests.push(request);
      if (answer !== undefined) return Promise.reject(answer);
      const isUnhealthy = request.query?.['fieldSelector']?.endsWith('type=Warning') === true;
      const events = fails('Readiness', status(404), 30, 60, 100).map((event, index) => ({
        ...event,
        metadata: { namespace: 'apps', name: `e-${index}`, uid: `e-${index}` },
      }));
      const items = isUnhealthy ? [{ metadata: { name: 'other' }, reason: 'Unhealthy' }, ...events] : [];
      return Promise.resolve({ body: listOf(...items), bytes: 0 });
    },
    lines: ({ signal }: ApiRequest, stream: LineStream) => {
      stream.opened();
      if (signal !== undefined) watching.push(signal);
      return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const context = {
    client,
    log: pino({ base: null, timestamp: false }, { write }),
    now: () => NOW,
    random: () => -1,
    podWatch: { listen: (listener: PodListener) => void (pods = listener) },
    isExempt: (namespace: string) => namespace === exempt,
    failing: new FailingWorkloads(),
    extraResults: results,
    registers: [registry],
  };
  part = new FailingPart(context as unknown as ObserverContext);
});
afterEach(() => {
  part.stop();
  vi.useRealTimers();
});

const pod = observedPod({ readinessProbe }, { runsFrom: 1 }) as unknown as KubernetesObject;
const metrics = async (): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('probewright_failing_workloads{'));
const causes = (): unknown[] => results.of(POD).map(({ properties }) => properties['cause']);
/** Waits for work that needs no time: the intervals of this test stand still. */
async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !isDone(); turn++) await setImmediate();
  expect(isDone()).toBe(true);
}
/** Starts, and waits until the two kinds of events have been listed. */
async function start(): Promise<void> {
  part.start();
  await until(() => watching.length === 2);
}

describe('the search for failing Pods', () => {
  it('tells the cause after 5 s, from the Pods and the events of the kubelet', async () => {
    await start();
    expect(requests.map(({ path, query }) => [path, query?.['fieldSelector']])).toEqual(
      ['type=Warning', 'involvedObject.kind=Pod,reason=Killing'].map((selector) => ['/api/v1/events', selector]),
    );
    pods.seen(pod, NOW);
    expect(part.details()).toEqual({ failing: { podsWithTrouble: 1 } });
    vi.advanceTimersByTime(4_999);
    expect(causes()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(causes()).toEqual(['http-404']);
  });

  it('has its metric while this replica leads', async () => {
    await start();
    pods.seen(pod, NOW);
    vi.advanceTimersByTime(5_000);
    expect(await metrics()).toEqual([]);
    part.lead(true);
    expect(await metrics()).toEqual(['probewright_failing_workloads{namespace="apps",cause="http-404"} 1']);
    part.lead(false);
    expect(await metrics()).toEqual([]);
  });

  it('tells nothing of exempt namespaces', async () => {
    await start();
    pods.seen(pod, NOW);
    exempt = 'apps';
    part.lead(true);
    vi.advanceTimersByTime(5_000);
    expect([causes(), await metrics()]).toEqual([[], []]);
  });

  it('forgets Pods that are gone, and those that a list does not have', async () => {
    await start();
    pods.seen(pod, NOW);
    for (const metadata of [{ name: 'x' }, { name: 'x', uid: 'u' }, { name: 'x', namespace: 'apps' }])
      pods.gone({ metadata }, NOW);
    pods.listed?.(new Set(['u']));
    vi.advanceTimersByTime(5_000);
    expect(causes()).toEqual(['http-404']);
    pods.gone(pod, NOW);
    vi.advanceTimersByTime(5_000);
    expect(causes()).toEqual([]);
    pods.seen(pod, NOW);
    pods.listed?.(new Set());
    expect(part.details()).toEqual({ failing: { podsWithTrouble: 0 } });
  });

  it('leaves out Pods without a UID, and static Pods, which no workload has', async () => {
    await start();
    const { metadata } = pod;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n', controller: true }];
    pods.seen({ ...pod, metadata: { ...metadata, uid: undefined } } as unknown as KubernetesObject, NOW);
    pods.seen({ ...pod, metadata: { ...metadata, ownerReferences } } as unknown as KubernetesObject, NOW);
    expect(part.details()).toEqual({ failing: { podsWithTrouble: 0 } });
  });

  it('tells when events cannot be watched, and when they can again', async () => {
    answer = new ApiError(403, 'Forbidden', 'no right');
    part.start();
    await until(() => logged.length === 2);
    expect(part.details()).toEqual({ failing: { podsWithTrouble: 0, problem: 'no right' } });
    expect(logged[0]).toMatchObject({
      level: 40,
      fieldSelector: 'type=Warning',
      problem: 'no right',
      msg: 'events cannot be watched now: causes of failing probes are not known',
    });
    answer = undefined;
    await until(() => logged.length === 4);
    expect(logged[2]).toMatchObject({ level: 30, msg: 'events can be watched again' });
    expect(part.details()).toEqual({ failing: { podsWithTrouble: 0 } });
  });

  it('reports a round that fails, and goes on', async () => {
    await start();
    pods.seen(pod, NOW);
    const replace = results.replace.bind(results);
    results.replace = () => {
      throw new Error('no room');
    };
    vi.advanceTimersByTime(5_000);
    expect(logged).toMatchObject([
      { level: 50, err: { message: 'no room' }, msg: 'failing probes cannot be evaluated' },
    ]);
    results.replace = replace;
    vi.advanceTimersByTime(5_000);
    expect(causes()).toEqual(['http-404']);
  });

  it('ends with a stop', async () => {
    await start();
    expect(vi.getTimerCount()).toBe(1);
    pods.seen(pod, NOW);
    part.stop();
    vi.advanceTimersByTime(10_000);
    expect([causes(), vi.getTimerCount()]).toEqual([[], 0]);
    expect(watching.every((signal) => signal.aborted)).toBe(true);
  });
});
