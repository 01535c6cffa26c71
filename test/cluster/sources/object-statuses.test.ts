import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObjectStatuses } from '../../../src/cluster/sources/object-statuses.ts';
import { waitUntil } from '../client/wait-until.ts';
import type { Fault } from '../client/fake-api-server.ts';
import { CLUSTER_POLICIES, ClusterWorld, policiesIn, type Watched } from './cluster-world.ts';

let world: ClusterWorld;
beforeEach(async () => {
  world = await ClusterWorld.start();
});
afterEach(() => world.stop());

interface Replica {
  readonly writer: ObjectStatuses;
  readonly lead: (isLeader: boolean) => void;
  readonly watched: Watched;
  readonly troubles: (string | undefined)[];
  /** `place reason: problem`, as they were told. */
  readonly asides: string[];
}

/** A replica that mirrors policies and writes statuses when it leads. */
async function replica(name = 'replica'): Promise<Replica> {
  const troubles: (string | undefined)[] = [];
  const asides: string[] = [];
  const writer = new ObjectStatuses(
    {
      troubled: (problem) => troubles.push(problem),
      setAside: (place, reason, problem) => asides.push(`${place} ${reason}: ${problem}`),
    },
    world.surroundings(),
  );
  const watched = await world.started({ statuses: writer }, name);
  const lead = (isLeader: boolean): void => {
    writer.setActive(isLeader);
    if (isLeader) watched.source.judgeAll();
  };
  world.stopLater(() => writer.setActive(false));
  return { writer, lead, watched, troubles, asides };
}

async function leader(): Promise<Replica> {
  const made = await replica();
  made.lead(true);
  return made;
}

const ready = (name: string): Record<string, unknown> | undefined =>
  (world.status(name)?.['conditions'] as Record<string, unknown>[] | undefined)?.find(({ type }) => type === 'Ready');
const isReady = (name: string, status: 'True' | 'False', generation: number): boolean =>
  ready(name)?.['status'] === status && world.status(name)?.['observedGeneration'] === generation;
/** When this policy has its status, all events before it have been dealt with. */
const settled = async (name = 'marker'): Promise<void> => {
  world.put(name, {});
  await waitUntil('the marker has its status', () => isReady(name, 'True', 1));
};
const webIs = (status: 'True' | 'False', generation: number): Promise<void> =>
  waitUntil(`web is ${status}`, () => isReady('web', status, generation));
const BROKEN = { port: 70_000 };
const isWeb = (path: string): boolean => path.endsWith('/web/status');
const webPatches = (): number => world.patches().filter(({ path }) => isWeb(path)).length;
/** A leader whose writes get this answer, and who has told of one. */
async function refused(fault: Fault): Promise<Replica> {
  world.put('web', {});
  world.api.intercept(({ method, path }) => (method === 'PATCH' && isWeb(path) ? fault : undefined));
  const made = await leader();
  // A failure of the server counts after some attempts, with pauses.
  await waitUntil('it is told', () => {
    if (fault === PLAIN_500) world.timer.ring();
    return made.asides.length === 1;
  });
  return made;
}

describe('the leader', () => {
  it('writes for every policy whether it is in force, once', async () => {
    world.put('web', {});
    world.put('bad', BROKEN);
    world.putCluster('all', {});
    await leader();
    await waitUntil('all have a status', () => world.patches().length === 3);
    await settled();
    expect(
      world
        .patches()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual([
      `${CLUSTER_POLICIES}/all/status`,
      ...['bad', 'marker', 'web'].map((name) => `${policiesIn('apps')}/${name}/status`),
    ]);
    expect(world.patches().map(({ query }) => query['fieldManager'])).toEqual(Array(4).fill('probewright-status'));
    expect(world.status('web')).toEqual({
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Accepted',
          message: 'in force',
          observedGeneration: 1,
          lastTransitionTime: '1970-01-01T00:16:40Z',
        },
      ],
    });
    expect(ready('bad')).toMatchObject({
      status: 'False',
      reason: 'Invalid',
      message: 'no version is in force: spec.port: must be at most 65535, not 70000',
    });
  });

  it('writes nothing where the status says all that it should', async () => {
    world.put('web', {});
    const first = await leader();
    await webIs('True', 1);
    first.lead(false);
    const second = await replica();
    second.lead(true);
    await settled();
    expect(world.patches()).toHaveLength(2);
  });

  it('says which generation stays in force while the newest cannot be read, and since when', async () => {
    world.put('web', { port: 9 });
    await leader();
    await webIs('True', 1);
    world.time += 60_000;
    world.put('web', BROKEN);
    await webIs('False', 2);
    expect(ready('web')).toMatchObject({
      message: 'generation 1 stays in force: spec.port: must be at most 65535, not 70000',
      lastTransitionTime: '1970-01-01T00:17:40Z',
    });
    world.time += 60_000;
    world.put('web', { port: 'STILL' });
    await waitUntil('the newer generation is observed', () => isReady('web', 'False', 3));
    expect(ready('web')).toMatchObject({ lastTransitionTime: '1970-01-01T00:17:40Z' });
    world.put('web', { port: 10 });
    await waitUntil('it is ready', () => isReady('web', 'True', 4));
    expect(ready('web')).toMatchObject({ lastTransitionTime: '1970-01-01T00:18:40Z' });
    await settled();
    expect(world.patches()).toHaveLength(5);
  });

  it("keeps others' conditions and fields", async () => {
    const others = { type: 'Synced', status: 'True', reason: 'ByGitOps', message: '', lastTransitionTime: 'x' };
    world.put('web', {});
    world.api.put(policiesIn('apps'), {
      metadata: { name: 'web' },
      spec: {},
      status: { conditions: [others], own: 1 },
    });
    await leader();
    await webIs('True', 1);
    world.put('web', BROKEN);
    await webIs('False', 2);
    expect(world.status('web')).toMatchObject({ conditions: [others, { type: 'Ready' }], own: 1 });
  });

  it('writes again what somebody else has overwritten', async () => {
    world.put('web', {});
    await leader();
    await webIs('True', 1);
    world.api.put(policiesIn('apps'), { metadata: { name: 'web' }, spec: {}, status: { conditions: [] } });
    await webIs('True', 1);
  });

  it('asks for no more than four at a time', async () => {
    for (let index = 0; index < 20; index++) world.put(`web-${index}`, {});
    world.api.intercept(({ method }) => (method === 'PATCH' ? 'hang' : undefined));
    const { lead, watched } = await leader();
    await waitUntil('some are asked for', () => world.patches().length === 4);
    world.put('marker', {});
    await waitUntil('an event has come', () => watched.judged.includes('marker'));
    expect(world.patches()).toHaveLength(4);
    world.api.intercept(undefined);
    lead(false);
    lead(true);
    await waitUntil('all have a status', () =>
      Array.from({ length: 20 }).every((_, index) => isReady(`web-${index}`, 'True', 1)),
    );
  });
});

/** As kube-apiserver passes on what etcd says. */
const TOO_LARGE = { status: 500, body: { kind: 'Status', code: 500, message: 'etcdserver: request is too large' } };
const PLAIN_500 = { status: 500, body: { kind: 'Status', code: 500, reason: 'InternalError', message: 'no' } };

describe('policies whose status cannot be written', () => {
  it.each([
    ['at once', TOO_LARGE],
    ['after some attempts', PLAIN_500],
  ])('do not delay others, and are set aside %s', async (_, refusal) => {
    for (let index = 0; index < 5; index++) world.put(`huge-${index}`, {});
    world.api.intercept(({ method, path }) => (method === 'PATCH' && path.includes('/huge-') ? refusal : undefined));
    const { writer, watched, troubles, asides } = await leader();
    await waitUntil('some were tried', () => world.patches().length > 1);
    // In the same namespace, and in another one; with no pause ended.
    await settled();
    world.api.put(policiesIn('other'), { metadata: { name: 'web' }, spec: {} });
    await waitUntil('the other has its status', () => Boolean(world.api.get(policiesIn('other'), 'web')?.['status']));
    await watched.until('all are set aside', () => asides.length === 5);
    const reason = refusal === TOO_LARGE ? 'too-large' : 'failed';
    expect(asides.toSorted()[0]).toContain(`ProbePolicy/apps/huge-0 ${reason}: PATCH `);
    expect(writer.setAside()).toMatchObject({ [reason]: 5 });
    expect(troubles).toEqual([]);
  });

  it.each([
    [404, 'gone'],
    [410, 'gone'],
    [413, 'too-large'],
    [400, 'refused'],
    [422, 'refused'],
    [418, 'refused'],
  ])('with HTTP %i are told of once, counted as %s, and tried again', async (status, reason) => {
    const { writer, watched, asides } = await refused({ status });
    expect(asides[0]).toMatch(new RegExp(`^ProbePolicy/apps/web ${reason}: PATCH .*HTTP ${status}`));
    expect(writer.setAside()).toMatchObject({ [reason]: 1 });
    // The collection is read again, and nothing has changed.
    world.api.disturbWatches('gone');
    await settled();
    expect(webPatches()).toBe(1);
    world.put('web', {}, { labels: { touched: 'yes' } });
    await watched.until('it is tried again', () => webPatches() > 1);
    await settled('second-marker');
    expect(asides).toHaveLength(1);
    world.api.intercept(undefined);
    world.put('web', {}, { labels: { touched: 'again' } });
    await watched.until('it is ready', () => isReady('web', 'True', 1));
    await waitUntil('nothing is set aside', () => Object.values(writer.setAside()).every((count) => count === 0));
  });

  it('are not tried more often because they change all the time', async () => {
    await refused(TOO_LARGE);
    for (let index = 0; index < 20; index++) world.put('web', {}, { labels: { touched: String(index) } });
    await settled();
    expect(webPatches()).toBe(1);
    expect(world.timer.waiting.size).toBeGreaterThan(0);
  });

  it('for failures of the server are tried again now and then', async () => {
    const { writer, watched, asides } = await refused(PLAIN_500);
    expect(world.patches()).toHaveLength(5);
    expect(asides[0]).toContain('ProbePolicy/apps/web failed: PATCH');
    world.api.intercept(undefined);
    await watched.until('it is ready', () => isReady('web', 'True', 1));
    await watched.until('it is no longer set aside', () => writer.setAside().failed === 0);
  });

  it('are tried again by a new term', async () => {
    const { writer, lead } = await refused({ status: 422 });
    world.api.intercept(undefined);
    lead(false);
    expect(writer.setAside()).toMatchObject({ refused: 0 });
    lead(true);
    await webIs('True', 1);
  });

  it('are forgotten with the policy', async () => {
    const { writer } = await refused(TOO_LARGE);
    world.api.remove(policiesIn('apps'), 'web');
    await waitUntil('it is forgotten', () => writer.setAside()['too-large'] === 0);
  });
});

describe('a replica that does not lead', () => {
  it('writes nothing, and everything that is missing when it comes to lead', async () => {
    world.put('web', {});
    const a = await replica('a');
    const b = await replica('b');
    a.lead(true);
    await webIs('True', 1);
    a.lead(false);
    world.put('web', BROKEN);
    world.put('gone', {});
    await waitUntil('both have seen it', () => [a, b].every(({ watched }) => watched.judged.includes('gone')));
    world.api.remove(policiesIn('apps'), 'gone');
    expect(world.patches()).toHaveLength(1);
    b.lead(true);
    await waitUntil('the other writes', () => isReady('web', 'False', 2));
    await settled();
    expect(world.patches().map(({ headers }) => headers['user-agent'])).toEqual(['a', 'b', 'b']);
  });
});

describe('a write that fails', () => {
  it('because the API server is not available is tried again later, and nothing else is tried before; it is told once', async () => {
    world.put('web', {});
    world.put('api', {});
    world.api.intercept(({ method }) => (method === 'PATCH' ? { status: 503 } : undefined));
    const { troubles, asides, watched } = await leader();
    await waitUntil('it is told', () => troubles.length === 1);
    expect(troubles[0]).toContain('/status: HTTP 503');
    const pauses = (): number[] => [...world.timer.waiting].map(({ milliseconds }) => milliseconds);
    await waitUntil('it waits', () => pauses().includes(500));
    world.put('late', BROKEN);
    await waitUntil('an event has come', () => watched.judged.includes('late'));
    expect(world.patches()).toHaveLength(2);
    world.timer.ring();
    await waitUntil('it waits longer', () => pauses().includes(1000));
    world.api.intercept(undefined);
    // Others of the same round may still be on their way to fail.
    await watched.until('all are written', () => isReady('web', 'True', 1) && isReady('api', 'True', 1));
    await watched.until('the late one is, too', () => isReady('late', 'False', 1));
    expect([troubles, asides]).toEqual([[expect.any(String), undefined], []]);
  });

  it('with 409 is left to the next event', async () => {
    world.put('web', {});
    let refused = 0;
    world.api.intercept(({ method }) => (method === 'PATCH' && refused++ === 0 ? { status: 409 } : undefined));
    const { troubles, asides } = await leader();
    await waitUntil('it has failed', () => refused === 1);
    await settled();
    expect([troubles, asides, world.status('web')]).toEqual([[], [], undefined]);
    world.put('web', {}, { labels: { touched: 'yes' } });
    await webIs('True', 1);
  });

  it('because the API server drops part of it is not tried again and again', async () => {
    world.put('web', { port: 1 });
    const { asides, writer } = await leader();
    await webIs('True', 1);
    world.api.intercept(({ method, path }) =>
      method === 'PATCH' && isWeb(path) ? { status: 200, body: { status: { conditions: [] } } } : undefined,
    );
    world.put('web', BROKEN);
    await waitUntil('it is told', () => asides.length === 1);
    expect(asides[0]).toContain('ProbePolicy/apps/web not-kept: the API server does not keep all of the status');
    expect(writer.setAside()).toMatchObject({ 'not-kept': 1 });
    world.put('web', BROKEN, { labels: { touched: 'yes' } });
    await settled();
    expect(webPatches()).toBe(2);
  });

  it('says nothing of a version that came while it was under way', async () => {
    world.put('web', {});
    let held = 0;
    world.api.intercept(({ method }) => {
      if (method !== 'PATCH' || held++ > 0) return undefined;
      // The newer version is there before the write for the older one arrives.
      world.put('web', { port: 7 });
      return undefined;
    });
    await leader();
    await waitUntil('the newer version is observed', () => isReady('web', 'True', 2));
    const observed = world
      .patches()
      .map(({ body }) => (body as { status: { observedGeneration: number } }).status.observedGeneration);
    expect(observed).toEqual([1, 2]);
  });
});

describe('a policy over budget', () => {
  /** A spec of about 24 KB: eight of them fit into a namespace. */
  const large = (port: number): object => ({
    port,
    checks: {
      'dependency-liveness': { paths: Array.from({ length: 6 }, (_, index) => `/${index}`.padEnd(4000, 'x')) },
    },
  });

  it('has a status that says which budget and what to do, and is in force once another is gone', async () => {
    for (let index = 1; index <= 9; index++) world.put(`p${index}`, large(index));
    const { watched } = await leader();
    await waitUntil('all have a status', () =>
      Array.from({ length: 9 }, (_, index) => ready(`p${index + 1}`)).every(Boolean),
    );
    expect(ready('p9')).toMatchObject({ status: 'False', reason: 'OverBudget' });
    expect(ready('p9')?.['message']).toMatch(
      /^no version is in force: a namespace may have 196608 bytes of policies in force, and this one has 19\d{4}\. .* Delete or shorten policies of this namespace$/,
    );
    expect(watched.source.budget()).toMatchObject({ overBudget: { bytes: 1 }, total: 8 * 1024 * 1024 });
    world.api.remove(policiesIn('apps'), 'p1');
    await watched.until('p9 is in force', () => watched.inForce['ProbePolicy/apps/p9'] === 9);
    await waitUntil('its status says so', () => isReady('p9', 'True', 1));
    expect(watched.source.budget().overBudget.bytes).toBe(0);
  });

  it('keeps its last good version in force when the spec alone is too large, and is not in force after a restart', async () => {
    world.put('web', { port: 1 });
    const { watched } = await leader();
    await webIs('True', 1);
    world.put('web', {
      port: 3,
      checks: {
        'dependency-liveness': { paths: Array.from({ length: 17 }, (_, index) => `/${index}`.padEnd(4000, 'x')) },
      },
    });
    await waitUntil('it is over budget', () => ready('web')?.['reason'] === 'OverBudget');
    expect(ready('web')?.['message']).toMatch(
      /^generation 1 stays in force: the spec has 68\d\d\d bytes as JSON, and a policy may have 65536/,
    );
    expect([watched.inForce, watched.source.budget().overBudget.spec]).toEqual([{ 'ProbePolicy/apps/web': 1 }, 1]);
    const later = await replica('later');
    expect(later.watched.inForce).toEqual({});
  });

  it('is told its status by a new leader, which keeps nothing of it', async () => {
    for (let index = 1; index <= 9; index++) world.put(`p${index}`, large(index));
    const { lead, watched } = await replica();
    expect(watched.source.budget().overBudget.bytes).toBe(1);
    lead(true);
    await waitUntil('p9 is over budget', () => ready('p9')?.['reason'] === 'OverBudget');
  });

  it('is not written again for figures that change with other policies', async () => {
    for (let index = 1; index <= 9; index++) world.put(`p${index}`, large(index));
    await leader();
    await waitUntil('p9 is over budget', () => ready('p9')?.['reason'] === 'OverBudget');
    const before = ready('p9')?.['message'];
    world.put('p1', { ...large(1), containers: ['app'] });
    world.api.put(policiesIn('other'), { metadata: { name: 'marker' }, spec: {} });
    await waitUntil('the marker has its status', () =>
      Boolean(world.api.get(policiesIn('other'), 'marker')?.['status']),
    );
    expect(ready('p9')?.['message']).toBe(before);
    expect(world.patches().filter(({ path }) => path.includes('/p9/'))).toHaveLength(1);
  });
});
