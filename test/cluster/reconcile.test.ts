import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/cluster/client/api-client.ts';
import { RateLimiter } from '../../src/cluster/client/rate-limiter.ts';
import { Reconciler, type Reconciling, type Setback, type Task } from '../../src/cluster/reconcile.ts';
import { FakeTime } from './fake-time.ts';

const LATER = { pauses: 'lane', isForLater: true } as const;
const PAUSES = { all: { minimum: 1000, maximum: 4000 }, lane: { minimum: 1000, maximum: 60_000 } };

type Versioned = Task & { readonly version?: number };

/** A queue whose attempts end when the test says so, or at once with what `answers` has for their key. */
class Tried {
  readonly time = new FakeTime();
  /** The keys of all attempts, in their order. */
  readonly keys: string[] = [];
  readonly succeeded: string[] = [];
  readonly failures: string[] = [];
  readonly answers = new Map<string, Error>();
  readonly held = new Map<string, PromiseWithResolvers<unknown>>();
  readonly signals: AbortSignal[] = [];
  setback: Setback = LATER;
  readonly queue: Reconciler<Versioned>;

  constructor(settings: Partial<Reconciling<Versioned>> = {}) {
    this.queue = new Reconciler<Versioned>({
      write: ({ key, version }, signal) => {
        this.keys.push(version === undefined ? key : `${key} ${version}`);
        this.signals.push(signal);
        const answer = this.answers.get(key);
        if (answer !== undefined) return Promise.reject(answer);
        return this.held.get(key)?.promise ?? Promise.resolve();
      },
      succeeded: ({ key }) => this.succeeded.push(key),
      failed: ({ key }, error) => {
        this.failures.push(`${key}: ${(error as Error).message}`);
        return this.setback;
      },
      pauses: PAUSES,
      random: () => 1,
      timer: this.time.timer,
      ...settings,
    });
    this.queue.setActive(true);
  }

  /** Puts tasks, as `lane/name`, and lets the time pass. */
  async put(keys: readonly string[], milliseconds = 0): Promise<void> {
    for (const key of keys) this.queue.put({ key, lane: key.split('/')[0] ?? '' });
    await this.time.pass(milliseconds);
  }

  hold(key: string): PromiseWithResolvers<unknown> {
    const held = Promise.withResolvers<unknown>();
    this.held.set(key, held);
    return held;
  }
}

describe('tasks that wait', () => {
  it('are tried in turns of lanes, each once', async () => {
    const tried = new Tried();
    const held = tried.hold('other/0');
    await tried.put(['other/0', 'tenant/1', 'tenant/2', 'tenant/3', 'tenant/1', 'victim/4']);
    expect(tried.queue.size).toBe(4);
    held.resolve(undefined);
    await tried.time.pass(0);
    expect(tried.keys.slice(1)).toEqual(['tenant/1', 'victim/4', 'tenant/2', 'tenant/3']);
    expect([tried.queue.size, tried.time.waits]).toEqual([0, []]);
  });

  it('begin at the pace, one after the other', async () => {
    const time = new FakeTime();
    const tried = new Tried({ pace: new RateLimiter(10, () => time.now), timer: time.timer });
    await tried.put(['a', 'b', 'c', 'd']);
    const seen = [];
    for (let tenth = 0; tenth < 4; tenth++) {
      await time.pass(tenth === 0 ? 0 : 100);
      seen.push(tried.keys.length);
    }
    expect([seen, time.waits]).toEqual([[1, 2, 3, 4], []]);
  });

  it('begin as many at once as the settings say', async () => {
    const tried = new Tried({ concurrency: 2 });
    const first = tried.hold('a');
    tried.hold('b');
    await tried.put(['a', 'b', 'c']);
    expect(tried.keys).toEqual(['a', 'b']);
    first.resolve(undefined);
    await tried.time.pass(0);
    expect(tried.keys).toEqual(['a', 'b', 'c']);
  });
});

describe('a task that is put again', () => {
  it('before its attempt has begun replaces the earlier one', async () => {
    const tried = new Tried();
    for (const version of [1, 2]) tried.queue.put({ key: 'a', version });
    await tried.time.pass(0);
    expect(tried.keys).toEqual(['a 2']);
  });

  it('during its attempt is tried once more after it', async () => {
    const tried = new Tried({ concurrency: 4 });
    const held = tried.hold('a');
    await tried.put(['a']);
    for (const version of [1, 2]) tried.queue.put({ key: 'a', version });
    await tried.time.pass(10_000);
    expect([tried.keys, tried.queue.has({ key: 'a' }), tried.queue.size]).toEqual([['a'], true, 1]);
    held.resolve(undefined);
    await tried.time.pass(0);
    expect([tried.keys, tried.queue.has({ key: 'a' })]).toEqual([['a', 'a 2'], false]);
  });

  it('during an attempt that fails is tried in place of it, whatever the failure means', async () => {
    for (const isForLater of [true, false]) {
      const tried = new Tried();
      tried.setback = { pauses: 'nobody', isForLater };
      const held = tried.hold('a');
      await tried.put(['a']);
      tried.queue.put({ key: 'a', version: 2 });
      tried.held.delete('a');
      held.reject(new Error('changed'));
      await tried.time.pass(0);
      expect([tried.keys, tried.failures]).toEqual([['a', 'a 2'], ['a: changed']]);
    }
  });
});

describe('a failure', () => {
  const no = new Error('no');

  it('pauses its lane, longer with each failure, and no other', async () => {
    const tried = new Tried();
    tried.answers.set('tenant/1', no);
    await tried.put(['tenant/1', 'tenant/2', 'victim/3']);
    expect(tried.keys).toEqual(['tenant/1', 'victim/3']);
    await tried.time.pass(999);
    expect(tried.keys).toHaveLength(2);
    tried.answers.set('tenant/2', no);
    await tried.time.pass(1);
    expect([tried.keys.slice(2), tried.time.waits]).toEqual([['tenant/2'], [2000]]);
    tried.answers.clear();
    await tried.time.pass(2000);
    expect(tried.keys.slice(3)).toEqual(['tenant/1', 'tenant/2']);
  });

  it('after a success in the lane pauses shortly again', async () => {
    const tried = new Tried();
    tried.answers.set('tenant/1', no);
    await tried.put(['tenant/1', 'tenant/2', 'tenant/3'], 0);
    expect(tried.time.waits).toEqual([1000]);
    tried.answers.set('tenant/3', no);
    await tried.time.pass(1000);
    expect([tried.keys, tried.time.waits]).toEqual([['tenant/1', 'tenant/2', 'tenant/3'], [1000]]);
  });

  it('may end a task, and pauses its lane all the same', async () => {
    const tried = new Tried();
    tried.setback = { pauses: 'lane', isForLater: false };
    tried.answers.set('tenant/1', no);
    await tried.put(['tenant/1', 'tenant/2']);
    expect([tried.keys, tried.queue.size]).toEqual([['tenant/1'], 1]);
    await tried.time.pass(1000);
    expect([tried.keys, tried.time.waits]).toEqual([['tenant/1', 'tenant/2'], []]);
  });

  it('of the API server pauses all, with growing pauses, until a success', async () => {
    const tried = new Tried();
    tried.setback = { pauses: 'all', isForLater: true };
    for (const key of ['a', 'b']) tried.answers.set(key, no);
    await tried.put(['a', 'b']);
    const waits = [];
    for (let round = 0; round < 4; round++) {
      waits.push(tried.time.waits);
      await tried.time.pass(tried.time.waits[0] ?? NaN);
    }
    expect(waits).toEqual([[1000], [2000], [4000], [4000]]);
    expect(tried.keys).toEqual(['a', 'b', 'a', 'b', 'a']);
    tried.answers.clear();
    await tried.time.pass(4000);
    expect(tried.keys.slice(5)).toEqual(['b', 'a']);
    tried.answers.set('a', no);
    await tried.put(['a']);
    expect(tried.time.waits).toEqual([1000]);
  });

  it('of the API server pauses all once, however many attempts tell of it', async () => {
    const tried = new Tried({ concurrency: 2 });
    tried.setback = { pauses: 'all', isForLater: true };
    for (const key of ['a', 'b']) tried.answers.set(key, no);
    await tried.put(['a', 'b']);
    expect([tried.keys, tried.time.waits]).toEqual([['a', 'b'], [1000]]);
  });

  it('of the API server pauses an attempt that waits for its turn, too', async () => {
    const time = new FakeTime();
    const tried = new Tried({ concurrency: 2, pace: new RateLimiter(10, () => time.now), timer: time.timer });
    tried.setback = { pauses: 'all', isForLater: true };
    const held = tried.hold('a');
    await tried.put(['a', 'b']);
    await time.pass(50);
    held.reject(no);
    await time.pass(949);
    expect(tried.keys).toEqual(['a']);
  });

  it.each([
    [0, 1000],
    [7, 7000],
    [3600, 60_000],
  ])('with a Retry-After of %i s pauses all for %i ms', async (seconds, wait) => {
    const tried = new Tried();
    tried.setback = { pauses: 'all', isForLater: true };
    tried.answers.set('a', new ApiError(429, 'TooManyRequests', 'busy', seconds * 1000));
    await tried.put(['a']);
    expect(tried.time.waits).toEqual([wait]);
  });
});

describe('a lane that pauses', () => {
  async function paused(): Promise<Tried> {
    const tried = new Tried();
    tried.answers.set('a', new Error('no'));
    await tried.put(['a']);
    await tried.time.pass(1000);
    expect(tried.time.waits).toEqual([2000]);
    return tried;
  }

  it('goes on soon when its object has changed', async () => {
    const tried = await paused();
    tried.queue.hasten({ key: 'a' });
    expect(tried.time.waits).toEqual([1000]);
    await tried.time.pass(1000);
    expect([tried.keys.length, tried.time.waits]).toEqual([3, [2000]]);
  });

  it('does not go on because its task is put again', async () => {
    const tried = await paused();
    await tried.put(['a'], 1999);
    expect(tried.keys).toHaveLength(2);
    await tried.time.pass(1);
    expect(tried.keys).toHaveLength(3);
  });

  it('is forgotten with its object', async () => {
    const tried = await paused();
    tried.queue.drop({ key: 'a' });
    expect([tried.time.waits, tried.queue.size, tried.queue.has({ key: 'a' })]).toEqual([[], 0, false]);
    await tried.put(['a']);
    expect(tried.time.waits).toEqual([1000]);
  });
});

it('an object that is gone ends its attempt, and one with the same name is tried after the end', async () => {
  const tried = new Tried();
  const held = tried.hold('a');
  await tried.put(['a']);
  tried.queue.drop({ key: 'a' });
  expect(tried.signals[0]?.aborted).toBe(true);
  await tried.put(['a']);
  expect(tried.keys).toEqual(['a']);
  tried.held.clear();
  held.reject(new Error('aborted'));
  await tried.time.pass(0);
  expect([tried.keys, tried.succeeded, tried.failures]).toEqual([['a', 'a'], ['a'], []]);
});

describe('a replica that no longer leads', () => {
  it('ends its attempts, tells of none, and holds neither tasks nor pauses', async () => {
    const tried = new Tried({ concurrency: 2 });
    tried.answers.set('b', new Error('no'));
    const held = tried.hold('a');
    await tried.put(['a', 'b', 'c']);
    tried.queue.setActive(false);
    expect(tried.signals[0]?.aborted).toBe(true);
    held.resolve(undefined);
    await tried.put(['d'], 60_000);
    expect([tried.keys, tried.succeeded, tried.failures]).toEqual([['a', 'b', 'c'], ['c'], ['b: no']]);
    expect([tried.queue.size, tried.time.waits]).toEqual([0, []]);
  });

  it.each(['all', 'lane', 'pace'] as const)('has no timer: %s', async (pauses) => {
    const time = new FakeTime();
    const tried = new Tried({ pace: new RateLimiter(10, () => time.now), timer: time.timer });
    if (pauses !== 'pace') {
      tried.setback = { pauses, isForLater: true };
      tried.answers.set('a', new Error('no'));
    }
    await tried.put(pauses === 'pace' ? ['a', 'b'] : ['a']);
    await time.pass(0);
    expect(time.waits).toHaveLength(1);
    tried.queue.setActive(false);
    expect(time.waits).toEqual([]);
  });

  it('begins with short pauses when it leads again', async () => {
    const tried = new Tried();
    tried.setback = { pauses: 'all', isForLater: true };
    tried.answers.set('a', new Error('no'));
    await tried.put(['a'], 1000);
    await tried.time.pass(0);
    expect(tried.time.waits).toEqual([2000]);
    tried.queue.setActive(false);
    tried.queue.setActive(true);
    await tried.put(['a']);
    expect(tried.time.waits).toEqual([1000]);
  });

  it('keeps its tasks when it is told again that it leads', async () => {
    const tried = new Tried();
    tried.queue.put({ key: 'a' });
    tried.queue.setActive(true);
    await tried.time.pass(0);
    expect(tried.succeeded).toEqual(['a']);
  });

  it('and leads again tries each key after the end of its old attempt', async () => {
    const tried = new Tried();
    const held = tried.hold('a');
    await tried.put(['a']);
    tried.queue.setActive(false);
    tried.queue.setActive(true);
    await tried.put(['a', 'b']);
    expect(tried.keys).toEqual(['a']);
    held.resolve(undefined);
    await tried.time.pass(0);
    expect(tried.keys.toSorted()).toEqual(['a', 'a', 'b']);
    expect(tried.succeeded.toSorted()).toEqual(['a', 'b']);
  });
});

type Version = number | undefined;
const KEYS = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1'];

/** What happens to a cluster with two replicas, one of which leads at most. */
type Event =
  | { readonly kind: 'wanted' | 'overwritten'; readonly key: string; readonly version: Version }
  | { readonly kind: 'gone'; readonly key: string }
  | { readonly kind: 'leads'; readonly replica: number }
  | { readonly kind: 'passes'; readonly milliseconds: number };

const key = fc.constantFrom(...KEYS);
const version = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('wanted', 'overwritten'), key, version }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gone' as const), key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leads' as const), replica: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('passes' as const), milliseconds: fc.nat(3000) }) },
);
/** The answers to the attempts, one after the other; after the last one, all succeed. */
const answer = fc.record({
  milliseconds: fc.nat(400),
  outcome: fc.constantFrom('done', 'done', 'away', 'busy', 'failed', 'refused', 'changed', 'lost'),
});
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

class ModelCluster {
  readonly time = new FakeTime();
  readonly wanted = new Map<string, Version>();
  readonly there = new Map<string, Version>();
  readonly begun: { readonly replica: number; readonly at: number }[] = [];
  readonly queues: readonly Reconciler<Task>[];
  leader: number | undefined;
  most = 0;
  readonly #underWay = new Map<string, number>();
  readonly #gone = new Map<string, number>();
  readonly #answers: Answer[];

  constructor(answers: readonly Answer[], concurrency: number) {
    this.#answers = [...answers];
    this.queues = [0, 1].map((replica) => {
      const setbacks: Record<string, Setback> = {
        away: { pauses: 'all', isForLater: true },
        busy: { pauses: 'all', isForLater: true },
        lost: { pauses: 'all', isForLater: true },
        failed: LATER,
        refused: { pauses: 'lane', isForLater: false },
        changed: { pauses: 'nobody', isForLater: false },
      };
      return new Reconciler({
        write: (task, signal) => this.#write(task, signal, replica),
        failed: (_, error) => setbacks[(error as Error).message] ?? expect.fail(String(error)),
        pauses: PAUSES,
        random: () => 0.5,
        timer: this.time.timer,
        concurrency,
        pace: new RateLimiter(10, () => this.time.now),
      });
    });
  }

  async happens(event: Event): Promise<void> {
    if (event.kind === 'passes') return this.time.pass(event.milliseconds);
    if (event.kind === 'leads') return this.lead(event.replica);
    if (event.kind === 'wanted') this.wanted.set(event.key, event.version);
    else if (event.kind === 'overwritten') this.there.set(event.key, event.version);
    else {
      for (const map of [this.wanted, this.there]) map.delete(event.key);
      this.#gone.set(event.key, (this.#gone.get(event.key) ?? 0) + 1);
    }
    for (const queue of this.queues)
      if (event.kind === 'gone') queue.drop(taskOf(event.key));
      else queue.put(taskOf(event.key));
  }

  lead(replica: number): void {
    if (replica !== this.leader) this.queues[this.leader ?? -1]?.setActive(false);
    this.leader = replica;
    this.queues[replica]?.setActive(true);
    for (const key of KEYS) this.queues[replica]?.put(taskOf(key));
  }

  async #write({ key }: Task, signal: AbortSignal, replica: number): Promise<void> {
    this.begun.push({ replica, at: this.time.now });
    const underWay = (this.#underWay.get(key) ?? 0) + 1;
    this.#underWay.set(key, underWay);
    this.most = Math.max(this.most, underWay);
    const ended = (): void => void this.#underWay.set(key, (this.#underWay.get(key) ?? 0) - 1);
    const [version, gone] = [this.wanted.get(key), this.#gone.get(key)];
    const { milliseconds, outcome } = this.#answers.shift() ?? { milliseconds: 0, outcome: 'done' };
    const isHeard = await new Promise<boolean>((resolve) => {
      const callOff = this.time.timer(milliseconds, () => resolve(true));
      signal.addEventListener('abort', () => {
        callOff();
        resolve(false);
      });
    });
    ended();
    // The API server has done it, although nobody hears of it.
    const isWritten = outcome === 'done' || outcome === 'lost';
    if (isWritten && gone === this.#gone.get(key)) this.there.set(key, version);
    // The watch tells of the change; the next scan tells of what was refused.
    if (outcome === 'changed' || outcome === 'refused')
      this.time.timer(500, () => this.queues.forEach((queue) => queue.put(taskOf(key))));
    if (!isHeard) throw new Error('aborted');
    if (outcome === 'busy') throw new ApiError(429, '', 'busy', 5000);
    if (outcome !== 'done') throw new Error(outcome);
  }
}

const taskOf = (key: string): Task => ({ key, lane: key.split('/')[0] ?? '' });

describe('after any order of changes, failures and changes of the leader', () => {
  it('there is what should be there, and no attempt was against the rules', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 60 }),
        fc.array(answer, { maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        async (events, answers, concurrency) => {
          const cluster = new ModelCluster(answers, concurrency);
          for (const each of events) await cluster.happens(each);
          cluster.lead(0);
          await cluster.time.pass(3_600_000);
          for (const key of KEYS) expect([key, cluster.there.get(key)]).toEqual([key, cluster.wanted.get(key)]);
          expect(cluster.most).toBeLessThanOrEqual(1);
          for (const replica of [0, 1]) {
            const instants = cluster.begun.filter((one) => one.replica === replica).map(({ at }) => at);
            const gaps = instants.slice(1).map((at, index) => at - (instants[index] ?? NaN));
            expect(Math.min(Infinity, ...gaps)).toBeGreaterThan(99.999);
          }
          expect(cluster.queues.map(({ size }) => size)).toEqual([0, 0]);
          expect(cluster.time.waits).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
