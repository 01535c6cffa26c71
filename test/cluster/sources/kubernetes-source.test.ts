import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PolicyStore } from '../../../src/cluster/sources/policy-store.ts';
import { waitUntil } from '../client/wait-until.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { CLUSTER_POLICIES, ClusterWorld, NAMESPACES, policiesIn, type Watched } from './cluster-world.ts';
import { PROBE_EXCEPTIONS, SERVICES } from '../../../src/cluster/sources/fact-kinds.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import type { Fault, SeenRequest } from '../client/fake-api-server.ts';

let world: ClusterWorld;
beforeEach(async () => {
  world = await ClusterWorld.start();
});
afterEach(() => world.stop());

const BROKEN = { port: 70_000, containers: 'app' };
const PROBLEMS = [
  'ProbePolicy/apps/web: spec.containers: must be a list; write ["app"]',
  'ProbePolicy/apps/web: spec.port: must be at most 65535, not 70000',
];
const labelsOf = (watched: Watched): object =>
  Object.fromEntries([...watched.latest.facts.namespaceLabels].map(([name, map]) => [name, Object.fromEntries(map)]));

describe('the first snapshot', () => {
  it('holds the policies of all namespaces, those of the cluster, and the labels of namespaces but for their name', async () => {
    world.put('web', { port: 1 });
    world.api.put(policiesIn('other'), { metadata: { name: 'web' }, spec: { port: 2 } });
    world.putCluster('all', { port: 3, priority: 7 });
    world.putNamespace('apps', { tier: 'web' });
    world.putNamespace('bare');
    const watched = await world.started();
    expect(watched.inForce).toEqual({
      'ProbePolicy/apps/web': 1,
      'ProbePolicy/other/web': 2,
      'ClusterProbePolicy/all': 3,
    });
    expect(labelsOf(watched)).toEqual({ apps: { tier: 'web' }, bare: {} });
    expect(watched.source.status()).toMatchObject({ description: 'cluster', problems: [], lastSync: world.time });
  });

  it('asks for the metadata of namespaces alone', async () => {
    await world.started();
    const accepts = world.api.requests.filter(({ path }) => path === NAMESPACES).map(({ headers }) => headers.accept);
    expect(accepts.length).toBeGreaterThan(0);
    expect(accepts.every((accept) => accept?.includes('as=PartialObjectMetadata'))).toBe(true);
  });

  it('is not there before all three collections have been read, however long that takes', async () => {
    world.put('web', {});
    world.api.intercept(({ path }) => (path === CLUSTER_POLICIES ? { status: 503 } : undefined));
    const watched = world.source();
    const starting = watched.start();
    await waitUntil('the policies are read', () => watched.judged.length === 1);
    await waitUntil('the trouble is told', () => watched.troubles.length > 0);
    expect([watched.snapshots, watched.source.status().lastSync]).toEqual([[], undefined]);
    world.api.intercept(undefined);
    await starting;
    expect(watched.inForce).toEqual({ 'ProbePolicy/apps/web': undefined });
  });

  it('never comes once the source is stopped: no policy yet is not no policy', async () => {
    world.api.intercept(() => ({ status: 503 }));
    const watched = world.source();
    const starting = watched.start();
    watched.source.stop();
    await expect(starting).rejects.toThrow('stopped before the policies of the cluster had been read');
  });
});

describe('changes', () => {
  it('of policies are put in force: new ones, edited ones, and those that are gone', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    world.put('web', { port: 2 });
    world.put('api', { port: 3 });
    await watched.until('both are in force', () => Object.keys(watched.inForce).length === 2);
    await watched.until('the edit is in force', () => watched.inForce['ProbePolicy/apps/web'] === 2);
    world.api.remove(policiesIn('apps'), 'web');
    await watched.until('one is left', () => Object.keys(watched.inForce).length === 1);
    expect(watched.inForce).toEqual({ 'ProbePolicy/apps/api': 3 });
  });

  it('that were missed are noticed when the collection is read again', async () => {
    world.put('web', { port: 1 });
    world.put('old', { port: 1 });
    world.putNamespace('gone');
    const watched = await world.started();
    await world.api.pause();
    world.api.remove(policiesIn('apps'), 'old');
    world.api.remove(NAMESPACES, 'gone');
    world.putNamespace('new');
    world.put('web', { port: 2 });
    world.api.compact();
    await world.api.resume();
    await watched.until(
      'all is known',
      () => watched.inForce['ProbePolicy/apps/web'] === 2 && 'new' in labelsOf(watched),
    );
    expect([watched.inForce, labelsOf(watched)]).toEqual([{ 'ProbePolicy/apps/web': 2 }, { new: {} }]);
  });

  it('of everything but a spec change nothing', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    world.put('web', { port: 1 }, { labels: { touched: 'yes' } });
    world.api.put(policiesIn('apps'), { metadata: { name: 'web' }, spec: { port: 1 }, status: { conditions: [] } });
    world.put('marker', {});
    await watched.until('the marker is in force', () => 'ProbePolicy/apps/marker' in watched.inForce);
    expect(watched.snapshots).toHaveLength(2);
    expect(watched.snapshots[1]?.policies).toContain(watched.snapshots[0]?.policies[0]);
  });

  it('that come in a burst are put in force together', async () => {
    const watched = await world.started();
    for (let index = 0; index < 100; index++) world.put(`web-${index}`, {});
    await waitUntil('all are known', () => watched.judged.length === 100);
    expect(watched.snapshots.map(({ policies }) => policies.length)).toEqual([0]);
    expect([...world.timer.waiting].map(({ milliseconds }) => milliseconds)).toEqual([50]);
    world.timer.ring();
    expect(watched.snapshots.map(({ policies }) => policies.length)).toEqual([0, 100]);
    expect(world.timer.waiting.size).toBe(0);
  });

  it('of labels leave the policies the same array, and changes of policies the labels', async () => {
    world.put('web', {});
    world.putNamespace('apps');
    const watched = await world.started();
    world.putNamespace('apps', { tier: 'db' });
    await watched.until('the namespace is relabelled', () => watched.snapshots.length === 2);
    expect(labelsOf(watched)).toEqual({ apps: { tier: 'db' } });
    expect(watched.snapshots[1]?.policies).toBe(watched.snapshots[0]?.policies);
    expect(watched.snapshots[0]?.facts.namespaceLabels.get('apps')?.size).toBe(0);
    world.put('web', { port: 5 });
    await watched.until('the policy is edited', () => watched.snapshots.length === 3);
    expect(watched.snapshots[2]?.facts.namespaceLabels).toBe(watched.snapshots[1]?.facts.namespaceLabels);
  });

  it('of a namespace other than its labels are no changes', async () => {
    world.putNamespace('apps', { tier: 'web' });
    const watched = await world.started();
    world.api.put(NAMESPACES, { metadata: { name: 'apps', labels: { tier: 'web' }, annotations: { a: 'b' } } });
    world.put('marker', {});
    await watched.until('the marker is in force', () => watched.snapshots.length === 2);
    expect(watched.snapshots[1]?.facts.namespaceLabels).toBe(watched.snapshots[0]?.facts.namespaceLabels);
  });

  it('leave a policy that is being deleted in force until it is gone', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    world.put('web', { port: 2 }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    await watched.until('the edit is in force', () => watched.inForce['ProbePolicy/apps/web'] === 2);
    world.api.remove(policiesIn('apps'), 'web');
    await watched.until('it is gone', () => Object.keys(watched.inForce).length === 0);
  });

  it('are no longer told after stop', async () => {
    const watched = await world.started();
    world.put('web', {});
    await waitUntil('it is known', () => watched.judged.length === 1);
    watched.source.stop();
    world.timer.ring();
    expect(watched.snapshots).toHaveLength(1);
  });
});

describe('a policy that cannot be read', () => {
  it('stays in force as it last was, is told of once with every problem, and the others change as ever', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    world.put('web', BROKEN);
    world.put('api', { port: 2 });
    await watched.until('the other is in force', () => 'ProbePolicy/apps/api' in watched.inForce);
    expect(watched.inForce).toEqual({ 'ProbePolicy/apps/web': 1, 'ProbePolicy/apps/api': 2 });
    expect(watched.failures).toEqual(PROBLEMS);
    expect(watched.source.status().problems).toEqual(PROBLEMS);
    // Not again for a touch, nor when the collection is read again, but for another bad version.
    world.put('web', BROKEN, { labels: { touched: 'yes' } });
    world.api.disturbWatches('gone');
    world.put('marker', {});
    await watched.until('the marker is in force', () => 'ProbePolicy/apps/marker' in watched.inForce);
    expect(watched.failures).toHaveLength(2);
    world.put('web', { port: 'UPPER' });
    await watched.until('it is told', () => watched.failures.length === 3);
    world.put('web', { port: 3 });
    await watched.until('it is mended', () => watched.inForce['ProbePolicy/apps/web'] === 3);
    expect(watched.source.status().problems).toEqual([]);
  });

  it('is not in force when it never could be read, and is told of before the first snapshot', async () => {
    world.put('web', BROKEN);
    const watched = await world.started();
    expect([watched.inForce, watched.failures]).toEqual([{}, PROBLEMS]);
    world.api.remove(policiesIn('apps'), 'web');
    await waitUntil('it is forgotten', () => watched.source.status().problems.length === 0);
  });

  it('is not in force after a restart, whatever its status says', async () => {
    world.put('web', { port: 9 });
    world.api.put(policiesIn('apps'), {
      metadata: { name: 'web' },
      spec: BROKEN,
      status: { lastGood: { generation: 1, spec: { port: 9 } } },
    });
    expect((await world.started()).inForce).toEqual({});
  });

  it('has no last good version from an object of the same name that was there before', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    await world.api.pause();
    world.api.remove(policiesIn('apps'), 'web');
    world.put('web', BROKEN);
    world.api.compact();
    await world.api.resume();
    await watched.until('it is not in force', () => Object.keys(watched.inForce).length === 0);
  });

  it('may be nested deeper than any stack, or have no spec at all: the others are in force', async () => {
    const metadata = (name: string): object => ({ name, namespace: 'apps', uid: name, generation: 1 });
    const items = [
      { metadata: metadata('deep'), spec: { port: 'DEEP' } },
      { metadata: metadata('none') },
      { metadata: metadata('good'), spec: {} },
    ];
    const list = JSON.stringify({ metadata: { resourceVersion: '1000' }, items });
    const body = list.replace('"DEEP"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    world.api.intercept(({ path, query }) =>
      path.endsWith('/v1alpha1/probepolicies') && query['watch'] !== 'true' ? { status: 200, body } : undefined,
    );
    const watched = await world.started();
    expect(Object.keys(watched.inForce)).toEqual(['ProbePolicy/apps/good']);
    expect(watched.failures).toEqual([
      `ProbePolicy/apps/deep: spec.port: must be a port's number or name, not ${'['.repeat(57)}...`,
      'ProbePolicy/apps/none: spec: must be given; {} is a policy that says nothing',
    ]);
  });
});

describe('while the API server is away', () => {
  it('what is known stays in force, its age shows, and it is told of once', async () => {
    world.put('web', { port: 1 });
    const watched = await world.started();
    const { time } = world;
    await waitUntil('the watches are open', () => world.api.openWatches() === 3);
    await world.api.pause();
    await waitUntil('all watches are missed', () => watched.source.status().troubles?.length === 3);
    world.time += 3_600_000;
    expect(watched.source.status().lastSync).toBe(time);
    expect(watched.inForce).toEqual({ 'ProbePolicy/apps/web': 1 });
    const wait = watched.source.namespaceKnown('new', CLIENT);
    world.timer.ring();
    expect(await wait).toBe('no-contact');
    await world.api.resume();
    await waitUntil('it is back', () => watched.source.status().lastSync === world.time);
    await waitUntil('it is told', () => watched.troubles.length === 2);
    expect(watched.troubles).toEqual([expect.any(String), undefined]);
    expect(watched.source.status()).toMatchObject({ problems: [], troubles: [] });
  });

  it('the age is that of the collection that was heard of longest ago', async () => {
    const watched = await world.started();
    const { time } = world;
    await waitUntil('the watches are open', () => world.api.openWatches() === 3);
    world.api.intercept(({ path }) => (path === NAMESPACES ? { status: 503 } : undefined));
    world.api.disturbWatches('cut');
    await waitUntil('one is missed', () => watched.source.status().troubles?.length === 1);
    // Nothing is wrong with any policy.
    expect(watched.source.status().problems).toEqual([]);
    await waitUntil('two are back', () => world.api.openWatches() === 2);
    world.time += 1000;
    world.put('web', {});
    await watched.until('the policies go on', () => 'ProbePolicy/apps/web' in watched.inForce);
    expect(watched.source.status().lastSync).toBe(time);
  });
});

describe('a policy that the budget has room for again', () => {
  it('comes into force by a list, and the next such list is made 30 s later', async () => {
    const spec = { kubernetesProbeEndpoints: { readinessProbe: `/${'r'.repeat(1000)}` } };
    for (const [index, name] of ['a', 'b', 'c'].entries()) world.put(name, { port: index + 1, ...spec });
    const all = (await world.started()).source.budget().used;
    const watched = await world.started({ policyBudget: 0.5 * all });
    expect([watched.inForce, watched.source.budget().overBudget.total]).toEqual([{ 'ProbePolicy/apps/a': 1 }, 2]);
    await waitUntil('the watches are open', () => world.api.openWatches() === 6);
    world.api.remove(policiesIn('apps'), 'a');
    const rings = (): number => [...world.timer.waiting].filter(({ milliseconds }) => milliseconds === 30_000).length;
    await waitUntil('there is a list', () => watched.judged.includes('b') && rings() === 1);
    world.api.remove(policiesIn('apps'), 'b');
    await waitUntil('the watches are open again', () => world.api.openWatches() === 6);
    await watched.until('the last is in force', () => 'ProbePolicy/apps/c' in watched.inForce);
    expect([watched.inForce, watched.source.budget().overBudget.total]).toEqual([{ 'ProbePolicy/apps/c': 3 }, 0]);
  });
});

const CLIENT = '10.0.0.1';

it('a leader lists the facts again that were left out, and no others', async () => {
  const exceptions = '/apis/probewright.dev/v1alpha1/probeexceptions';
  const { metadata, spec } = exceptionDocument({ checks: ['no-such-check'] });
  world.api.put('/apis/probewright.dev/v1alpha1/namespaces/apps/probeexceptions', { metadata, spec });
  const { source } = await world.started({ factKinds: [PROBE_EXCEPTIONS, SERVICES] });
  const lists = (path: string): number =>
    world.api.requests.filter((request) => request.path === path && request.query['watch'] !== 'true').length;
  await waitUntil('both are listed', () => lists(exceptions) === 1 && lists('/api/v1/services') === 1);
  source.judgeAll();
  await waitUntil('the exceptions are listed again', () => lists(exceptions) === 2);
  expect(lists('/api/v1/services')).toBe(1);
});

describe('a namespace that a request comes from', () => {
  it('is not waited for when it is known, is none, or no policy looks at labels', async () => {
    world.putNamespace('apps');
    let labelsMatter = true;
    const { source } = await world.started({ labelsMatter: () => labelsMatter });
    expect([source.namespaceKnown('apps', CLIENT), source.namespaceKnown('', CLIENT)]).toEqual([undefined, undefined]);
    expect(source.namespaceKnown('new', CLIENT)).toBeInstanceOf(Promise);
    labelsMatter = false;
    expect(source.namespaceKnown('new', CLIENT)).toBeUndefined();
  });

  it('is waited for until its labels are in force', async () => {
    const watched = await world.started();
    const arrived = watched.source.namespaceKnown('new', CLIENT);
    expect(watched.source.namespaceKnown('new', CLIENT)).toBe(arrived);
    world.putNamespace('new', { tier: 'web' });
    await arrived;
    expect(labelsOf(watched)).toEqual({ new: { tier: 'web' } });
    expect(watched.source.namespaceKnown('new', CLIENT)).toBeUndefined();
    expect(world.timer.waiting.size).toBe(0);
  });

  it('has its labels in force at once when the watch has brought them but they were still being gathered', async () => {
    const watched = await world.started();
    world.putNamespace('new', { tier: 'web' });
    await waitUntil('it is known', () => world.timer.waiting.size === 1);
    expect(labelsOf(watched)).toEqual({});
    expect(watched.source.namespaceKnown('new', CLIENT)).toBeUndefined();
    expect(labelsOf(watched)).toEqual({ new: { tier: 'web' } });
    expect(world.timer.waiting.size).toBe(0);
  });

  it('puts nothing new in force when the labels of other namespaces alone have changed', async () => {
    world.putNamespace('apps', { tier: 'web' });
    const watched = await world.started();
    world.putNamespace('other', { tier: 'db' });
    await waitUntil('it is known', () => world.timer.waiting.size === 1);
    expect(watched.source.namespaceKnown('apps', CLIENT)).toBeUndefined();
    expect(watched.snapshots).toHaveLength(1);
    world.putNamespace('apps', { tier: 'db' });
    await waitUntil('the new label is in force', () => {
      void watched.source.namespaceKnown('apps', CLIENT);
      return watched.snapshots.length === 2;
    });
    expect(labelsOf(watched)).toEqual({ apps: { tier: 'db' }, other: { tier: 'db' } });
  });

  it('is waited for no longer than it is said, and not when the source is stopped', async () => {
    const watched = await world.started();
    const { source } = watched;
    world.putNamespace('marker');
    await watched.until('the watch of namespaces has brought something', () => 'marker' in labelsOf(watched));
    const first = source.namespaceKnown('one', CLIENT);
    expect([...world.timer.waiting].map(({ milliseconds }) => milliseconds)).toEqual([500]);
    world.timer.ring();
    expect(await first).toBe('timeout');
    const second = source.namespaceKnown('two', CLIENT);
    source.stop();
    expect(await second).toBe('no-contact');
    expect(world.timer.waiting.size).toBe(0);
  });

  it('is not waited for when a thousand others are', async () => {
    const { source } = await world.started();
    const waits = Array.from({ length: 5000 }, (_, index) =>
      source.namespaceKnown(`invented-${index}`, `${index % 5}`),
    );
    expect(waits.filter((wait) => wait === 'no-room')).toHaveLength(4000);
    expect(world.timer.waiting.size).toBe(1000);
    world.timer.ring();
    for (const wait of waits) await wait;
    expect(source.namespaceKnown('invented-1', CLIENT)).toBeInstanceOf(Promise);
  });
});

describe('clients that ask for namespaces', () => {
  it('have half of all names each, and a name that another client waits for costs nothing', async () => {
    const { source } = await world.started();
    const ask = (client: string): number =>
      Array.from({ length: 1000 }, (_, index) => source.namespaceKnown(`of-${client}-${index}`, client)).filter(
        (wait) => wait !== 'no-room',
      ).length;
    expect([ask('hostile'), source.namespaceKnown('of-hostile-0', 'honest')]).toEqual([500, expect.any(Promise)]);
    expect(ask('honest')).toBe(500);
    world.timer.ring();
    expect(source.namespaceKnown('new', 'hostile')).toBeInstanceOf(Promise);
  });
});

describe('a namespace that is made between two watches', () => {
  const isNamespaceWatch = ({ path, query }: SeenRequest): boolean => path === NAMESPACES && query['watch'] === 'true';

  it.each<[string, Fault]>([
    ['has yet to be answered', 'hang'],
    ['is refused', { status: 503 }],
    ['is cut off', 'cut'],
  ])('is waited for while the next watch %s, and sixty of sixty have their labels in force', async (_, fault) => {
    world.api.bookmarks(false);
    const watched = await world.started();
    await waitUntil('the watches are open', () => world.api.openWatches() === 3);
    const before = world.api.requests.length;
    const attempts = (): number => world.api.requests.slice(before).filter(isNamespaceWatch).length;
    world.api.intercept((request) => (isNamespaceWatch(request) ? fault : undefined));
    world.api.disturbWatches('end');
    await waitUntil('the next watch was asked for', () => attempts() > 0);
    if (fault !== 'hang') await waitUntil('contact is lost', () => watched.source.status().troubles?.length === 1);
    const names = Array.from({ length: 60 }, (__, index) => `fresh-${index}`);
    const waits = names.map((name) => {
      world.putNamespace(name, { tier: 'web' });
      return watched.source.namespaceKnown(name, CLIENT);
    });
    expect(waits.filter((wait) => wait instanceof Promise)).toHaveLength(60);
    world.api.intercept(undefined);
    // A watch that got no answer is asked for again once its time is over; a cut stands for that here.
    if (fault === 'hang') await world.api.pause().then(() => world.api.resume());
    for (const wait of waits) expect(await wait).toBeUndefined();
    expect(labelsOf(watched)).toEqual(Object.fromEntries(names.map((name) => [name, { tier: 'web' }])));
  });

  it('is known without labels when the next watch has not come in time, and not waited for where labels do not matter', async () => {
    let labelsMatter = true;
    const { source } = await world.started({ labelsMatter: () => labelsMatter });
    await waitUntil('the watches are open', () => world.api.openWatches() === 3);
    await world.api.pause();
    await waitUntil('contact is lost', () => source.status().troubles?.length === 3);
    const wait = source.namespaceKnown('new', CLIENT);
    world.timer.ring();
    expect(await wait).toBe('no-contact');
    labelsMatter = false;
    expect(source.namespaceKnown('new', CLIENT)).toBeUndefined();
  });
});

describe('the store', () => {
  it('has policies of the cluster above those of files, also of the same name, and selects by the labels of the cluster', async () => {
    world.put('policy', { port: 2 });
    world.putCluster('web', { namespaceSelector: { matchLabels: { tier: 'web' } }, port: 3 });
    world.putNamespace('apps', { tier: 'web' });
    const watched = await world.started();
    const store = new PolicyStore(['files', 'cluster']);
    store.replace('files', {
      policies: [parsedPolicy(policyDocument({ port: 1 }))],
      facts: { ...NO_FACTS, namespaceLabels: new Map([['apps', new Map()]]) },
    });
    expect(store.current).toBeUndefined();
    store.replace('cluster', watched.latest);
    expect(store.current?.policyFor('apps', new Map()).layers.map(({ source, port }) => [source, port])).toEqual([
      ['ProbePolicy/apps/policy', 1],
      ['ClusterProbePolicy/web', 3],
      ['ProbePolicy/apps/policy', 2],
    ]);
    expect(store.current?.looksAtNamespaceLabels).toBe(true);
  });
});
