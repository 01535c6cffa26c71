import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { LeaderElection } from '../../../src/cluster/client/leader-election.ts';
import { startFakeApiServer, type FakeApiServer, type Fault, type SeenRequest } from './fake-api-server.ts';
import { waitUntil } from './wait-until.ts';
import type { LeaseCandidate, ElectionDependencies } from '../../../src/cluster/client/leader-election.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/probewright/leases';
const noon = Date.parse('2026-01-01T12:00:00Z');
const hour = 3_600_000;
let api: FakeApiServer;
const running: Replica[] = [];

beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(async () => {
  api.intercept(undefined);
  await Promise.all(running.splice(0).map(({ election }) => election.stop()));
  await api.stop();
});

/** A candidate with clocks of its own. */
interface Replica {
  readonly election: LeaderElection;
  /** What it was told, oldest first. */
  readonly told: string[];
  /** Its monotonic clock, which goes only when set. */
  readonly clock: { value: number };
  /** How many times it has read the Lease. */
  readonly looks: () => number;
}

function replica(
  identity: string,
  settings: Partial<LeaseCandidate> = {},
  dependencies: Partial<ElectionDependencies> = {},
): Replica {
  const clock = { value: 0 };
  let calls = 0;
  const told: string[] = [];
  const election = new LeaderElection(
    new ApiClient(api.access, identity),
    {
      namespace: 'probewright',
      lease: 'probewright',
      identity,
      durationMilliseconds: 15_000,
      retryMilliseconds: 10,
      ...settings,
    },
    {
      led: (isLeader) => told.push(isLeader ? 'gained' : 'lost'),
      troubled: (problem) => told.push(problem ?? 'fine'),
    },
    { now: () => noon + calls++, monotonic: () => clock.value, random: Math.random, ...dependencies },
  );
  const looks = (): number => api.requests.filter((request) => isFrom(identity, request, 'GET')).length;
  const made = { election, told, clock, looks };
  running.push(made);
  return made;
}

function isFrom(identity: string, request: SeenRequest, method?: string): boolean {
  return request.headers['user-agent'] === identity && (method === undefined || method === request.method);
}

/** One replica's requests all go wrong. */
function disconnect(identity: string, fault: Fault): void {
  api.intercept((request) => (isFrom(identity, request) ? fault : undefined));
}

function spec(): Readonly<Record<string, unknown>> {
  return (api.get(leases, 'probewright')?.['spec'] ?? {}) as Record<string, unknown>;
}

async function leading({ election }: Replica): Promise<void> {
  await waitUntil('it leads', () => election.isLeader);
}

async function leader(...given: Parameters<typeof replica>): Promise<Replica> {
  const made = replica(...given);
  made.election.start();
  await leading(made);
  return made;
}

async function lost({ election }: Replica): Promise<void> {
  await waitUntil('it has let go', () => !election.isLeader);
}

/** Cuts off the leader, until it has noticed: renewals that were under way may still come in before. */
async function cutOff(replica: Replica): Promise<void> {
  disconnect('a', 'cut');
  await waitUntil('it has noticed', () => replica.told.length > 1);
}

async function following(replica: Replica): Promise<void> {
  replica.election.start();
  await afterLooking(replica);
}

/** Until it has read, judged and drawn its conclusions from whatever is so now. */
async function afterLooking(replica: Replica): Promise<void> {
  const before = replica.looks();
  await waitUntil('it has looked', () => replica.looks() >= before + 3);
}

describe('a Lease that nobody holds', () => {
  it('is created by the only candidate, in the form that other clients read', async () => {
    const only = await leader('a');
    expect(only.told).toEqual(['gained']);
    expect(api.get(leases, 'probewright')).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'probewright', namespace: 'probewright' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-01T12:00:00.000000Z',
        renewTime: expect.stringMatching(/^2026-01-01T12:00:\d\d\.\d{6}Z$/) as string,
        leaseTransitions: 0,
      },
    });
  });

  it('makes exactly one of many candidates the leader, and it stays so', async () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((identity) => replica(identity));
    for (const { election } of many) election.start();
    await waitUntil('one leads', () => many.some(({ election }) => election.isLeader));
    for (const each of many) await afterLooking(each);
    const leaders = many.filter(({ election }) => election.isLeader);
    expect(leaders).toHaveLength(1);
    expect(many.flatMap(({ told }) => told)).toEqual(['gained']);
  });

  it('goes to one of two that create it at the same instant', async () => {
    const told = new Set<string>();
    // Both are told at first that there is none.
    api.intercept(({ method, headers }) => {
      const who = headers['user-agent'] ?? '';
      if (method !== 'GET' || told.has(who)) return undefined;
      told.add(who);
      return { status: 404, body: { kind: 'Status', reason: 'NotFound', message: 'not found', code: 404 } };
    });
    const [a, b] = [replica('a'), replica('b')];
    a.election.start();
    b.election.start();
    await waitUntil('both have tried', () => api.requests.filter(({ method }) => method === 'POST').length === 2);
    await afterLooking(a);
    await afterLooking(b);
    expect([...a.told, ...b.told]).toEqual(['gained']);
    expect(spec()['holderIdentity']).toBe(a.election.isLeader ? 'a' : 'b');
  });

  it('is taken when it exists without a holder', async () => {
    api.put(leases, { metadata: { name: 'probewright', labels: { mine: 'yes' } }, spec: { leaseTransitions: 7 } });
    await leader('a');
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 8 });
    expect(api.get(leases, 'probewright')?.metadata.labels).toEqual({ mine: 'yes' });
  });
});

describe('a leader that goes silent', () => {
  it('is followed by another when no renewal was seen for the duration, and not before', async () => {
    const [a, b] = [await leader('a'), replica('b')];
    await cutOff(a);
    await following(b);
    b.clock.value = 14_999;
    await afterLooking(b);
    expect(b.election.isLeader).toBe(false);
    b.clock.value = 15_000;
    await leading(b);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('is believed anew with each renewal', async () => {
    const [a, b] = [await leader('a'), replica('b')];
    b.election.start();
    for (let i = 0; i < 5; i++) {
      await afterLooking(a);
      await afterLooking(b);
      b.clock.value += 14_000;
    }
    await afterLooking(b);
    expect(b.told).toEqual([]);
  });

  it('is believed for as long as it asked for in the Lease, not for our own duration', async () => {
    const held = { holderIdentity: 'other', leaseDurationSeconds: 60 };
    api.put(leases, { metadata: { name: 'probewright' }, spec: held });
    const b = replica('b');
    await following(b);
    b.clock.value = 59_999;
    await afterLooking(b);
    expect(b.election.isLeader).toBe(false);
    b.clock.value = 60_000;
    await leading(b);
  });

  it.each([-9 * hour, 0, 9 * hour])('is judged by no clock on a wall, however far they are apart', async (offset) => {
    const [a, b] = [await leader('a'), replica('b', {}, { now: () => Date.now() + offset })];
    await following(b);
    expect(b.told).toEqual([]);
    await cutOff(a);
    await afterLooking(b);
    expect(b.told).toEqual([]);
    b.clock.value = 15_000;
    await leading(b);
  });

  it('lets go when its renewals fail for two thirds of the duration, and not before', async () => {
    const a = await leader('a');
    disconnect('a', { status: 503, body: 'overloaded' });
    await afterLooking(a);
    a.clock.value = 9_999;
    await afterLooking(a);
    expect(a.election.isLeader).toBe(true);
    a.clock.value = 10_000;
    await lost(a);
    const problem = `GET ${leases}/probewright: HTTP 503: overloaded`;
    expect(a.told).toEqual(['gained', problem, 'lost']);
    api.intercept(undefined);
    await leading(a);
    expect(a.told.toSorted()).toEqual(['gained', problem, 'lost', 'fine', 'gained'].toSorted());
  });

  it('lets go in time, also when its next attempt is due later', async () => {
    const rarely = { durationMilliseconds: 1_000, retryMilliseconds: hour };
    const a = await leader('a', rarely, { monotonic: () => performance.now() });
    api.intercept(() => 'cut');
    await lost(a);
  });

  it('lets go before another takes over, also when its requests get no answer at all', async () => {
    const order: string[] = [];
    const inRealTime = { monotonic: () => performance.now() };
    const short = { durationMilliseconds: 2_000 };
    const [a, b] = [replica('a', short, inRealTime), replica('b', short, inRealTime)];
    a.election.start();
    await leading(a);
    await following(b);
    disconnect('a', 'hang');
    await waitUntil('one of them changes', () => {
      if (!a.election.isLeader) order.push('a lost');
      else if (b.election.isLeader) order.push('b gained');
      return order.length > 0;
    });
    await leading(b);
    expect(order).toEqual(['a lost']);
    expect(a.election.isLeader).toBe(false);
  });

  it('lets go when it comes back and another leads', async () => {
    const [a, b] = [await leader('a'), replica('b')];
    await cutOff(a);
    await following(b);
    b.clock.value = 15_000;
    await leading(b);
    api.intercept(undefined);
    await lost(a);
    expect(b.election.isLeader).toBe(true);
  });
});

describe('a Lease that changes under its leader', () => {
  it('is made anew when somebody deletes it', async () => {
    const a = await leader('a');
    api.remove(leases, 'probewright');
    await waitUntil('it is there again', () => spec()['holderIdentity'] === 'a');
    expect(a.told).toEqual(['gained']);
  });

  it('is kept when somebody else writes between reading and renewing, with what they wrote', async () => {
    const a = await leader('a');
    let conflicts = 0;
    api.intercept(({ method }) => {
      if (method !== 'PUT' || conflicts++ > 0) return undefined;
      const now = api.get(leases, 'probewright');
      const metadata = { ...now?.metadata, annotations: { note: 'hands off' } };
      api.put(leases, { ...now, metadata });
      return undefined;
    });
    await waitUntil('it was renewed after the conflict', () => conflicts > 3);
    expect(a.told).toEqual(['gained']);
    expect(api.get(leases, 'probewright')?.metadata.annotations).toEqual({ note: 'hands off' });
  });

  it('is let go when somebody gives it to another', async () => {
    const a = await leader('a');
    const held = { holderIdentity: 'other', leaseDurationSeconds: 15 };
    // Whoever writes it may have to try again, as it is renewed all the time; put does not.
    api.put(leases, { metadata: { name: 'probewright' }, spec: held });
    await lost(a);
    expect(spec()['holderIdentity']).toBe('other');
    expect(a.told).toEqual(['gained', 'lost']);
  });
});

describe('trouble', () => {
  it('is told once, and its end once', async () => {
    api.intercept(() => ({ status: 403, body: { kind: 'Status', reason: 'Forbidden', message: 'you may not' } }));
    const a = replica('a');
    a.election.start();
    await waitUntil('it has tried again and again', () => a.looks() > 5);
    const problem = `GET ${leases}/probewright: HTTP 403 Forbidden: you may not`;
    expect(a.told).toEqual([problem]);
    api.intercept(undefined);
    await leading(a);
    await waitUntil('all is told', () => a.told.length === 3);
    expect(a.told.toSorted()).toEqual([problem, 'fine', 'gained'].toSorted());
  });
});

describe('stop', () => {
  /** Long enough for anybody who does what they should. */
  async function soon(stopping: Promise<void>): Promise<string> {
    return Promise.race([stopping.then(() => 'stopped'), sleep(8_000, 'hangs', { ref: false })]);
  }

  it('gives the Lease back, so that another leads at once', async () => {
    const [a, b] = [await leader('a'), replica('b')];
    await following(b);
    const stopping = a.election.stop();
    expect(a.election.isLeader).toBe(false);
    await stopping;
    // Its clock stands still: nothing has run out.
    await leading(b);
    expect(a.told).toEqual(['gained', 'lost']);
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 15 });
  });

  it('leaves the Lease of another alone, and asks and tells nothing', async () => {
    const [a, b] = [await leader('a'), replica('b', { retryMilliseconds: hour })];
    b.election.start();
    await waitUntil('it has looked', () => b.looks() === 1);
    await sleep(50);
    await b.election.stop();
    expect(api.requests.filter((request) => isFrom('b', request))).toHaveLength(1);
    expect(a.election.isLeader).toBe(true);
    expect(b.told).toEqual([]);
  });

  it('can be asked for twice, and before anything has begun', async () => {
    const a = replica('a');
    await a.election.stop();
    await a.election.stop();
    expect(api.requests).toEqual([]);
    const b = await leader('b');
    await Promise.all([b.election.stop(), b.election.stop()]);
    expect(spec()['holderIdentity']).toBe('');
    const given = api.requests.filter(({ body }) => JSON.stringify(body ?? null).includes('"holderIdentity":""'));
    expect(given).toHaveLength(1);
    expect(a.told).toEqual([]);
    expect(b.told).toEqual(['gained', 'lost']);
  });

  it('is the end of all requests', async () => {
    const a = await leader('a');
    await a.election.stop();
    const before = api.requests.length;
    await sleep(100);
    expect(api.requests).toHaveLength(before);
  });

  it('gives back a Lease that it did not know it had, when the answer to its claim was lost', async () => {
    api.intercept((request) => {
      if (request.method !== 'POST') return undefined;
      // It arrives, but nobody hears of it.
      api.put(leases, request.body as object);
      return 'hang';
    });
    const a = replica('a');
    a.election.start();
    await waitUntil('it has claimed the Lease', () => spec()['holderIdentity'] === 'a');
    expect(await soon(a.election.stop())).toBe('stopped');
    expect(spec()['holderIdentity']).toBe('');
    expect(a.told).toEqual([]);
  });

  it.each(['hang', 'cut'] as const)('comes to an end when the API server is away: %s', async (fault) => {
    const a = await leader('a', { durationMilliseconds: 1_500 });
    api.intercept(() => fault);
    expect(await soon(a.election.stop())).toBe('stopped');
    expect(a.told.filter((what) => what === 'gained' || what === 'lost')).toEqual(['gained', 'lost']);
  });

  it('comes to an end when nothing listens any more', async () => {
    const a = await leader('a');
    await api.pause();
    expect(await soon(a.election.stop())).toBe('stopped');
    await api.resume();
  });
});
