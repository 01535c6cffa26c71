import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/cluster/client/api-client.ts';
import { lookOnce, type LookedAt, type OneLook } from '../../src/observer/one-look.ts';
import { DEFAULT_SCOPE } from '../../src/observer/missed/webhook-scope.ts';
import { appContainer, policyDocument, policySet } from '../support/worlds.ts';
import { AnsweringClient, listOf } from '../cluster/client/answering-client.ts';
import { fails, observedPod, readinessProbe, status } from './observed-pod.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { NamedObject } from '../../src/observer/observed-workload.ts';

const NOW = Date.parse('2026-11-20T10:02:00Z');
const forbidden = new ApiError(403, 'Forbidden', 'no');
const owned = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c7b8f4', uid: 'r', controller: true };
const WEB = { namespace: 'apps', group: 'apps', kind: 'Deployment', name: 'web' };
const ITSELF = { namespace: 'apps', group: '', kind: 'Pod', name: 'web-1' };
const keyOf = ({ namespace, group, kind, name }: NamedObject): string => `${namespace}/${group}/${kind}/${name}`;
const injecting = policySet(
  policyDocument({ port: 'http', kubernetesProbeEndpoints: { livenessProbe: '/livez' } }, 'p'),
);

let pods: JsonObject[] | Error;
let events: JsonObject[] | Error;
let deployment: object | Error;
let answering: AnsweringClient;
beforeEach(() => {
  [pods, events, deployment] = [[], [], {}];
  answering = new AnsweringClient(({ path, query }) => {
    if (path.endsWith('/pods')) return pods instanceof Error ? pods : listOf(...pods);
    if (path.endsWith('/deployments/web')) return deployment;
    if (!path.endsWith('/events')) return listOf();
    if (events instanceof Error) return events;
    return query?.['fieldSelector']?.endsWith('type=Warning') === true ? listOf(...events) : listOf();
  });
});
const look = (
  more: Partial<LookedAt> = {},
  stepOf: (restart: string) => string = (restart) => restart,
): Promise<OneLook> =>
  lookOnce(answering, {
    namespace: 'apps',
    named: undefined,
    states: [],
    readsEvents: true,
    snapshot: injecting,
    webhook: { tier: 'webhook', scope: DEFAULT_SCOPE, unread: [], stepOf },
    now: NOW,
    ...more,
  });

/** A Pod of the Deployment `web` that lacks the liveness probe of the policy. */
function lacking(name: string, more: JsonObject = {}, phase = 'Running'): JsonObject {
  const labels = { app: 'web', 'pod-template-hash': '5d9c7b8f4' };
  return {
    metadata: { namespace: 'apps', name, uid: name, labels, ownerReferences: [owned], ...more },
    spec: { containers: [appContainer()] },
    status: { phase },
  };
}
/** A Pod of the Deployment `web` whose readiness probe fails. */
function failing(phase = 'Running'): JsonObject {
  const pod = observedPod({ readinessProbe }, { runsFrom: 1, phase });
  const labels = { 'pod-template-hash': '5d9c7b8f4' };
  return { ...pod, metadata: { ...(pod['metadata'] as JsonObject), labels, ownerReferences: [owned] } };
}
const notFound = (): JsonObject[] =>
  fails('Readiness', status(404), 30, 60, 100).map((event, index) => ({
    ...event,
    metadata: { namespace: 'apps', name: `e-${index}`, uid: `e-${index}` },
  }));
const eventLists = (): number => answering.requests.filter(({ path }) => path.endsWith('/events')).length;

describe('one look at a cluster', () => {
  it('counts the Pods of a workload that have not ended, and those that lack probes', async () => {
    const deleted = lacking('d', { deletionTimestamp: '2026-11-20T10:00:00Z' });
    pods = [lacking('a'), lacking('b'), lacking('c', {}, 'Succeeded'), lacking('f', {}, 'Failed'), deleted];
    const live = (await look()).of(WEB);
    expect([live?.pods, live?.missed.length, live?.failing]).toEqual([2, 2, []]);
    expect(live?.missedResults.map(({ properties }) => properties)).toMatchObject([
      { pods: '2', allPods: '2', fix: 'kubectl rollout restart deployment/web -n apps' },
    ]);
    expect(live?.missed[0]?.workload).toEqual(WEB);
  });

  it('tells nothing of a workload without Pods, and a Pod without a policy lacks nothing', async () => {
    pods = [lacking('a')];
    const one = await look({ snapshot: policySet() });
    expect(one.of({ ...WEB, name: 'other' })).toBeUndefined();
    expect(one.of(WEB)).toMatchObject({ pods: 1, missed: [], missedResults: [], failing: [] });
    expect([one.knowsFailures, one.problems]).toEqual([true, []]);
  });

  it('tells why Pods fail, by their events, with the counts', async () => {
    pods = [failing()];
    events = [{ metadata: { name: 'odd' } }, ...notFound()];
    const one = await look();
    expect(one.of(WEB)?.failing.map(({ properties }) => properties)).toMatchObject([
      { cause: 'http-404', times: '3', pods: '1' },
    ]);
    expect(eventLists()).toBe(2);
  });

  it('tells of no failure, and reads no event, unless events are asked for', async () => {
    pods = [failing()];
    events = notFound();
    const one = await look({ readsEvents: false });
    expect([one.of(WEB)?.failing, one.knowsFailures, eventLists()]).toEqual([[], false, 0]);
  });

  it('reads no event when no Pod could fail', async () => {
    await look();
    expect(eventLists()).toBe(0);
  });

  it('advises another step where new Pods would get no probes either', async () => {
    pods = [lacking('a')];
    const [result] = (await look({}, () => 'the webhook is away')).of(WEB)?.missedResults ?? [];
    expect([result?.message, result?.properties['fix']]).toEqual([
      'Pods lack the probes of policies',
      'the webhook is away',
    ]);
    const [usual] = (await look()).of(WEB)?.missedResults ?? [];
    expect(usual?.message).toContain('Pods lack probes that new Pods get');
  });
});

describe('what cannot be read', () => {
  it('is told with the right that is missing, and events are asked for, too', async () => {
    [pods, events] = [forbidden, forbidden];
    const one = await look();
    expect([one.problems, one.knowsFailures]).toEqual([
      [
        'cannot list pods in namespace apps: forbidden; the ClusterRole view has this right: kubectl auth can-i list pods -n apps',
        'cannot list events in namespace apps: forbidden, so what the probes got is not known; ' +
          'the ClusterRole view has this right: kubectl auth can-i list events -n apps',
      ],
      false,
    ]);
  });

  it('is told of all namespaces, and without a right for another error', async () => {
    pods = forbidden;
    expect((await look({ namespace: undefined, readsEvents: false })).problems).toEqual([
      'cannot list pods in all namespaces: forbidden; the ClusterRole view has this right: kubectl auth can-i list pods -A',
    ]);
    pods = new ApiError(404, 'NotFound', 'gone');
    expect((await look({ readsEvents: false })).problems).toEqual(['cannot list pods in namespace apps: gone']);
  });
});

describe('a look at named workloads', () => {
  const named = (...workloads: readonly NamedObject[]): ReadonlySet<string> => new Set(workloads.map(keyOf));

  it('tells nothing of others', async () => {
    pods = [lacking('a')];
    const one = await look({ named: named({ ...WEB, name: 'other' }) });
    expect(one.of(WEB)).toBeUndefined();
  });

  it('is also at a Pod beside its workload: each has its own count', async () => {
    pods = [lacking('web-1'), lacking('web-2')];
    const one = await look({ named: named(WEB, ITSELF) });
    expect([one.of(WEB)?.pods, one.of(ITSELF)?.pods]).toEqual([2, 1]);
    expect(one.of(ITSELF)?.missed[0]?.workload).toEqual(WEB);
    expect((await look()).of(ITSELF)).toBeUndefined();
  });

  it('counts a Pod without a controller once', async () => {
    pods = [lacking('web-1', { ownerReferences: [] })];
    const one = await look({ named: named(ITSELF) });
    expect([one.of(ITSELF)?.pods, one.of(ITSELF)?.missed.length]).toEqual([1, 1]);
  });

  it('is at a static Pod by its own name', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n', controller: true };
    pods = [lacking('web-1', { ownerReferences: [node] })];
    expect((await look()).of(ITSELF)?.pods).toBe(1);
  });

  it('advises what works where the rollouts of the Deployment are paused, for the Deployment and for its Pod', async () => {
    pods = [lacking('web-1')];
    deployment = { spec: { paused: true } };
    const one = await look({ named: named(WEB, ITSELF) });
    const fixes = [{ ...WEB, hold: 'paused' } as const, ITSELF].map(
      (workload) => one.of(workload)?.missedResults[0]?.properties['fix'],
    );
    const resume = 'It is paused. Resume it first: kubectl rollout resume deployment/web -n apps && ';
    expect(fixes).toEqual(Array(2).fill(`${resume}kubectl rollout restart deployment/web -n apps`));
  });

  it('advises no restart of a Deployment that is gone', async () => {
    pods = [lacking('web-1')];
    const kindOf = async (): Promise<unknown> =>
      (await look({ named: named(ITSELF) })).of(ITSELF)?.missed[0]?.workload.kind;
    expect(await kindOf()).toBe('Deployment');
    deployment = forbidden;
    expect(await kindOf()).toBe('Deployment');
    deployment = new ApiError(404, 'NotFound', 'gone');
    expect(await kindOf()).toBe('ReplicaSet');
    const one = await look({ named: named(WEB) });
    expect(one.of(WEB)?.missed[0]?.workload.kind).toBe('Deployment');
  });

  it('asks for no Deployment of a Pod with another owner', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 's', controller: true }];
    pods = [lacking('web-1', { ownerReferences })];
    const one = await look({ named: named(ITSELF) });
    expect(one.of(ITSELF)?.missed[0]?.workload.kind).toBe('StatefulSet');
    expect(answering.requests.some(({ path }) => path.includes('/deployments/'))).toBe(false);
  });
});
