import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectsAt, valueAt } from '../../../src/base/json/field-path.ts';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import { MOST_LAYERS } from '../../../src/native/namespace-probes.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { ask, ObservedCluster } from '../observed-cluster.ts';
import type { RunningObserver } from '../../../src/observer/observe.ts';

const GROUP = '/apis/probewright.dev/v1alpha1';
const NATIVE_POLICIES = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies';
const SHOP = `${GROUP}/namespaces/shop/probepolicies`;
const CLUSTER = `${GROUP}/clusterprobepolicies`;
const plain = { kubernetesProbeEndpoints: { livenessProbe: '/livez' } };
const learned = { slowStart: { learned: {} } };
const withHost = { probes: { livenessProbe: { httpGet: { path: '/livez', port: 8080, host: 'other.test' } } } };
const policy = (spec: object, status?: object): object => ({
  metadata: { name: 'own' },
  spec,
  ...(status && { status }),
});
const native = (version = '1'): object => ({
  metadata: { name: 'probewright-inject', labels: { 'probewright.dev/param-version': version } },
});

let cluster: ObservedCluster;
const observe = (): Promise<RunningObserver> => cluster.observe({ nativeParams: true, reports: 'none' });
beforeEach(async () => {
  cluster = await ObservedCluster.start();
  cluster.api.put(NATIVE_POLICIES, native());
});
afterEach(() => cluster.stop());

const conditions = (collection = SHOP): readonly object[] =>
  objectsAt(cluster.api.get(collection, 'own'), 'status', 'conditions');
const shown = (collection = SHOP): Readonly<Record<string, unknown>> | undefined =>
  objectsAt(cluster.api.get(collection, 'own'), 'status', 'conditions').find(({ type }) => type === 'Native');
const writes = (): number => cluster.api.requests.filter(({ path }) => path.endsWith('own/status')).length;
const until = (what: string, isSo: () => boolean): Promise<void> => waitUntil(what, isSo, 15_000);
const untilReason = (reason: string | undefined, collection = SHOP): Promise<void> =>
  until(`the reason is ${reason}`, () => shown(collection)?.['reason'] === reason);
/** A round that has come after all that is asked for before. */
const untilRound = async (): Promise<void> => {
  const param = `${GROUP}/namespaces/later/namespaceprobes`;
  cluster.api.put(`${GROUP}/namespaces/later/probepolicies`, {
    metadata: { name: `p${Math.random()}`.replace('.', '') },
    spec: plain,
  });
  await until('a round has ended', () => cluster.api.get(param, 'effective') !== undefined);
};

describe('the condition Native of policies', () => {
  it('says that the native policy injects the same, and leaves Ready as it is', async () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Accepted', message: 'in force' };
    cluster.api.put(SHOP, policy(plain, { observedGeneration: 1, conditions: [ready] }));
    await observe();
    await untilReason('Equal');
    expect(conditions()).toEqual([
      ready,
      {
        type: 'Native',
        status: 'True',
        reason: 'Equal',
        message: 'the native policy injects what the webhook would',
        observedGeneration: 1,
        lastTransitionTime: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) as string,
      },
    ]);
    expect(valueAt(cluster.api.get(SHOP, 'own'), ['status', 'observedGeneration'])).toBe(1);
  });

  it('says that nothing is added where the policies have no room, until they have some', async () => {
    // With the two policies called own, one layer more than there is room for.
    for (let index = 0; index < MOST_LAYERS - 1; index += 1)
      cluster.api.put(SHOP, { metadata: { name: `p${index}` }, spec: plain });
    cluster.api.put(SHOP, policy(plain));
    cluster.api.put(CLUSTER, policy(plain));
    await observe();
    await untilReason('Closed');
    await untilReason('Equal', CLUSTER);
    expect(shown()).toMatchObject({ status: 'False', message: expect.stringContaining('no room') as string });
    cluster.api.remove(SHOP, 'p0');
    await untilReason('Equal');
  });

  it('names what is fewer and what is not exported, with the fields', async () => {
    cluster.api.put(SHOP, policy(learned));
    cluster.api.put(CLUSTER, policy(withHost));
    await observe();
    await untilReason('NotExported');
    await untilReason('Fewer', CLUSTER);
    const less = 'the native policy injects less than the webhook would:';
    expect(shown()).toMatchObject({ status: 'False', message: `${less} learned (slowStart.learned)` });
    expect(shown(CLUSTER)).toMatchObject({
      status: 'True',
      message: `${less} unusable-handler (probes.livenessProbe)`,
    });
  });

  it('has a message with a bound, however many fields are fewer', async () => {
    const checks = Object.fromEntries(CHECKS.map(({ id }) => [id, { floor: 'Deny' }]));
    cluster.api.put(CLUSTER, policy({ ...plain, checks }));
    await observe();
    await untilReason('NotExported', CLUSTER);
    expect(shown(CLUSTER)?.['message']).toHaveLength(1024);
  });

  it('follows a change of the policy, and keeps its time while its status stays', async () => {
    cluster.api.put(SHOP, policy(plain));
    await observe();
    await untilReason('Equal');
    const since = shown()?.['lastTransitionTime'];
    cluster.clockSkew = 60_000;
    cluster.api.put(SHOP, policy(withHost));
    await untilReason('Fewer');
    expect(shown()).toMatchObject({ observedGeneration: 2, lastTransitionTime: since });
    cluster.api.put(SHOP, policy(learned));
    await untilReason('NotExported');
    expect(shown()?.['lastTransitionTime']).not.toBe(since);
    expect(writes()).toBe(3);
  });

  it('is not written again by the next leader', async () => {
    cluster.api.put(SHOP, policy(learned));
    const observer = await observe();
    await untilReason('NotExported');
    await observer.stop();
    await observe();
    await untilRound();
    expect(writes()).toBe(1);
  });

  it('comes back after somebody else has removed it', async () => {
    cluster.api.put(SHOP, policy(plain));
    await observe();
    await untilReason('Equal');
    cluster.api.put(SHOP, policy(plain, { conditions: [] }));
    await untilRound();
    await untilReason('Equal');
  });

  it('goes with the native policy, and is not there without one', async () => {
    cluster.api.put(SHOP, policy(plain));
    const observer = await observe();
    await untilReason('Equal');
    await observer.stop();
    cluster.api.remove(NATIVE_POLICIES, 'probewright-inject');
    await observe();
    await untilReason(undefined);
    await untilRound();
    expect(writes()).toBe(2);
  });

  it('is told to be missing without the right to write it, and nothing else fails', async () => {
    cluster.api.intercept(({ path }) =>
      path.endsWith('/status') ? { status: 403, body: { kind: 'Status', code: 403, message: 'no right' } } : undefined,
    );
    cluster.api.put(SHOP, policy(plain));
    cluster.api.put(CLUSTER, policy(plain));
    const observer = await observe();
    const told = 'the condition Native of policies cannot be written now';
    await until('it is told', () => cluster.logged(told).length > 0);
    await untilRound();
    const { nativeParams } = JSON.parse((await ask(observer, '/readyz')).body) as { nativeParams: object };
    expect(nativeParams).toMatchObject({ conditionsProblem: expect.stringContaining('no right') as string });
    expect(nativeParams).not.toHaveProperty('problem');
    await until('it is tried again', () => writes() > 2);
    expect(cluster.logged(told)).toHaveLength(1);
    cluster.api.intercept(undefined);
    await untilReason('Equal');
    await until(
      'the end is told',
      () => cluster.logged('the condition Native of policies can be written again').length > 0,
    );
  });
});
