import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ByNamespace } from '../../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { PROBE_EXCEPTIONS, WEBHOOK_EXCEPTIONS } from '../../../src/cluster/sources/fact-kinds.ts';
import { ExceptionStatuses, exceptionCounts } from '../../../src/cluster/sources/exception-statuses.ts';
import { exceptionSpec } from '../../../src/engine/policy/probe-exception.ts';
import { ObjectStatuses } from '../../../src/cluster/sources/object-statuses.ts';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { clusterPolicyDocument, policySet } from '../../support/worlds.ts';
import type { Named } from '../../../src/cluster/sources/object-store.ts';
import type { LeftOut } from '../../../src/cluster/sources/left-out-objects.ts';
import type { ApiRequest } from '../../../src/cluster/client/api-client.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const CREATED = '2026-06-01T00:00:00Z';
const DAY = 24 * 3600_000;
const END = Date.parse('2026-08-01T00:00:00Z');

/** Statuses with a writer, and a pass that ends when all that it has queued was tried. */
class Statuses extends ExceptionStatuses {
  readonly problems: (string | undefined)[] = [];
  readonly asides: string[] = [];
  readonly writer: ObjectStatuses;
  /** Ends all pauses. */
  readonly ring: () => void;
  readonly #requests: { underWay: number };

  constructor(api: (sent: ApiRequest) => Promise<unknown>, snapshot: () => Snapshot | undefined, now: () => number) {
    const requests = { underWay: 0 };
    const request = async (sent: ApiRequest): Promise<unknown> => {
      requests.underWay += 1;
      return api(sent).finally(() => (requests.underWay -= 1));
    };
    const waiting = new Set<() => void>();
    const timer = (_: number, callback: () => void): (() => void) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    };
    const writer = new ObjectStatuses(
      {
        troubled: (problem) => this.problems.push(problem),
        setAside: (place, reason) => this.asides.push(`${place} ${reason}`),
      },
      { random: () => 0, timer },
    );
    super({ client: { request }, writer, snapshot, now });
    this.#requests = requests;
    this.writer = writer;
    this.ring = () => {
      for (const callback of [...waiting]) if (waiting.delete(callback)) callback();
    };
    writer.setActive(true);
  }

  /** Resolves when nothing is under way for some turns. */
  async written(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet = this.#requests.underWay === 0 ? quiet + 1 : 0) await setImmediate();
  }

  async passed(): Promise<void> {
    this.pass();
    await this.written();
  }
}

interface World {
  readonly statuses: Statuses;
  readonly patches: JsonObject[];
  readonly object: () => JsonObject;
  time: number;
  failure: Error | undefined;
}

/** A cluster with one exception, which a writer of statuses looks at. */
function world(policy: JsonObject = {}): World {
  let object: JsonObject = exceptionDocument({}, { creationTimestamp: CREATED, generation: 1, resourceVersion: '1' });
  const base = policySet(clusterPolicyDocument(policy));
  const snapshot = (): Snapshot => {
    const read = PROBE_EXCEPTIONS.read(object);
    if (read === undefined || read.problems !== undefined) throw new Error('unreadable');
    return base.withFacts({ ...NO_FACTS, exceptions: new ByNamespace(new Map([['apps', [read.fact]]])) });
  };
  const patches: JsonObject[] = [];
  const request = (sent: ApiRequest): Promise<unknown> => {
    if (made.failure !== undefined) return Promise.reject(made.failure);
    if (sent.method === 'PATCH') {
      const { status } = sent.body as { status: JsonObject };
      patches.push(status);
      object = { ...object, status: { ...(object['status'] as JsonObject | undefined), ...status } };
    }
    return Promise.resolve(object);
  };
  const statuses = new Statuses(request, snapshot, () => made.time);
  const made: World = { statuses, patches, object: () => object, time: END - 40 * DAY, failure: undefined };
  return made;
}

/** An API server that has an exception of any name, and records the statuses that are written. */
function recorded(
  patches: Map<string, JsonObject>,
  failure: (name: string) => Error | undefined = () => undefined,
): (sent: ApiRequest) => Promise<unknown> {
  return ({ method, path, body }) => {
    const name = /probeexceptions\/([^/]+)/.exec(path)?.[1] ?? '';
    const failed = method === 'PATCH' ? failure(name) : undefined;
    if (failed !== undefined) return Promise.reject(failed);
    if (method === 'PATCH') patches.set(name, (body as { status: JsonObject }).status);
    return Promise.resolve(exceptionDocument({}, { name, generation: 1, resourceVersion: '1' }));
  };
}

const stateOf = (status: JsonObject | undefined): unknown => status?.['state'];

describe('ExceptionStatuses', () => {
  it('writes a state once, and again when it changes with time alone', async () => {
    const made = world();
    made.statuses.lead(true);
    for (const time of [END - 40 * DAY, END - 39 * DAY, END - 14 * DAY, END - 1, END, END + DAY]) {
      made.time = time;
      await made.statuses.passed();
    }
    expect(made.patches.map(stateOf)).toEqual(['Active', 'Expiring', 'Expired']);
  });

  it('writes nothing without the lead, except matches', async () => {
    const made = world();
    await made.statuses.passed();
    expect(made.patches).toEqual([]);
    made.statuses.matched('apps', 'legacy', made.time);
    made.statuses.matched('apps', 'legacy', made.time);
    await made.statuses.passed();
    expect(made.patches).toEqual([{ matches: 2, lastMatched: '2026-06-22T00:00:00Z' }]);
  });

  it('forgets matches of an exception that the cluster does not have', async () => {
    const made = world();
    made.failure = new ApiError(404, 'NotFound', 'no such exception');
    made.statuses.matched('apps', 'of-a-file', made.time);
    await made.statuses.passed();
    made.failure = undefined;
    made.statuses.ring();
    await made.statuses.passed();
    expect([made.patches, made.statuses.asides, made.statuses.problems]).toEqual([[], [], []]);
  });

  it('adds matches at most once an hour', async () => {
    const made = world();
    for (let minute = 0; minute < 180; minute++) {
      made.time += 60_000;
      made.statuses.matched('apps', 'legacy', made.time);
      await made.statuses.passed();
    }
    expect(made.patches.map((status) => status['matches'])).toEqual([1, 61, 121]);
  });

  it('adds matches after the clock was set back, too', async () => {
    const made = world();
    for (const time of [END, END - 40 * DAY]) {
      made.time = time;
      made.statuses.matched('apps', 'legacy', time);
      await made.statuses.passed();
    }
    expect(made.patches.map((status) => status['matches'])).toEqual([1, 2]);
  });

  it('calls an exception unused after 30 days without a match, and limited if policies shorten it', async () => {
    const made = world({ exceptions: { maximumDays: 50 } });
    made.statuses.lead(true);
    made.time = Date.parse(CREATED) + 30 * DAY;
    await made.statuses.passed();
    const conditions = made.patches[0]?.['conditions'] as { type: string; status: string }[];
    expect(stateOf(made.patches[0])).toBe('Unused');
    expect(conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'Active True',
      'Expired False',
      'Unused True',
      'Limited True',
    ]);
  });

  it('reports a failure once', async () => {
    const made = world();
    made.statuses.lead(true);
    made.failure = new Error('away');
    await made.statuses.passed();
    made.statuses.ring();
    await made.statuses.passed();
    made.failure = undefined;
    made.statuses.ring();
    await made.statuses.passed();
    expect(made.statuses.problems).toEqual(['away', undefined]);
    expect(made.patches).toHaveLength(1);
  });

  it('tries an object without room for its status again later, and delays no other', async () => {
    const names = ['huge', 'web'];
    const exceptions = names.map((name) => parsedException(exceptionDocument({}, { name, namespace: 'apps' })));
    const facts = { ...NO_FACTS, exceptions: new ByNamespace(new Map([['apps', exceptions]])) };
    const snapshot = policySet(clusterPolicyDocument({})).withFacts(facts);
    const patches = new Map<string, JsonObject>();
    let isFull = true;
    const tooLarge = new ApiError(500, 'InternalError', 'etcdserver: request is too large');
    const request = recorded(patches, (name) => (name === 'huge' && isFull ? tooLarge : undefined));
    const now = (): number => END - 40 * DAY;
    const statuses = new Statuses(request, () => snapshot, now);
    statuses.lead(true);
    await statuses.passed();
    expect([[...patches.keys()], statuses.asides]).toEqual([['web'], ['ProbeException/apps/huge too-large']]);
    isFull = false;
    statuses.ring();
    await statuses.written();
    expect([[...patches.keys()], statuses.problems]).toEqual([['web', 'huge'], []]);
  });
});

describe('exceptionCounts', () => {
  it('counts every state, and none without a snapshot', () =>
    expect(exceptionCounts(undefined, 0)).toEqual({ Active: 0, Expiring: 0, Expired: 0, Unused: 0 }));
});

describe('the webhook', () => {
  it('keeps no reason and no ticket of an exception, and all of the rest', () => {
    const document = exceptionDocument(
      { ticket: 'PAY-1', containers: ['app'] },
      { creationTimestamp: CREATED, generation: 1 },
    );
    const status = { observedGeneration: 1, state: 'Active', lastMatched: CREATED };
    const read = WEBHOOK_EXCEPTIONS.read({ ...document, status });
    if (read === undefined || read.problems !== undefined) throw new Error('unreadable');
    const kept = WEBHOOK_EXCEPTIONS.mirrored?.(read.fact) ?? read.fact;
    const { name, expires, created, state, isLimited, lastMatched } = kept;
    const spec = exceptionSpec(kept);
    expect({ name, expires, created, state, isLimited, lastMatched, spec }).toEqual({
      name: 'legacy',
      expires: END,
      created: Date.parse(CREATED),
      state: 'Active',
      isLimited: false,
      lastMatched: Date.parse(CREATED),
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Deployment', name: 'web' }],
        containers: ['app'],
        owner: 'team-a',
        reason: '',
      },
    });
  });
});

describe('the statuses of exceptions that are left out', () => {
  const left = (name: string, more: Partial<LeftOut<Named>> = {}): LeftOut<Named> => ({
    namespace: 'apps',
    name,
    reason: 'bytes',
    problem: undefined,
    object: undefined,
    entry: undefined,
    ...more,
  });

  it('have the checks in words, also those of an exception that cannot be read', () => {
    const wordsOf = async (checks: unknown): Promise<unknown> => {
      const patches = new Map<string, JsonObject>();
      const object = exceptionDocument({ checks }, { name: 'bad', generation: 1, resourceVersion: '1' });
      const send = recorded(patches);
      const statuses = new Statuses(
        (sent) => (sent.method === 'GET' ? Promise.resolve(object) : send(sent)),
        () => policySet(),
        () => END,
      );
      statuses.lead(true);
      statuses.leftOut(left('bad', { reason: 'invalid', problem: 'x' }));
      await statuses.written();
      return patches.get('bad')?.['checks'];
    };
    return expect(
      Promise.all([['named-port', 'exec-cost'], ['a'], 'a', [1, 'a'], Array(99).fill('named-port')].map(wordsOf)),
    ).resolves.toEqual(['named-port, exec-cost', 'a', '', 'a', expect.stringMatching(/^named-port, .{100,190}/)]);
  });

  it('say why an exception is not honoured, once, and are written by the leader only', async () => {
    const patches = new Map<string, JsonObject>();
    const now = (): number => END;
    const statuses = new Statuses(recorded(patches), () => policySet(), now);
    const both = [left('late'), left('bad', { reason: 'invalid', problem: 'spec.checks: empty' })];
    for (const each of both) statuses.leftOut(each);
    await statuses.written();
    expect(patches.size).toBe(0);
    statuses.lead(true);
    for (const each of both) statuses.leftOut(each);
    await statuses.written();
    const condition = (reason: string, why: string): object => ({
      observedGeneration: 1,
      state: reason,
      checks: 'named-port',
      conditions: [
        {
          type: 'Active',
          status: 'False',
          reason,
          message: `The exception is not honoured. ${why}`,
          lastTransitionTime: '2026-08-01T00:00:00Z',
          observedGeneration: 1,
        },
      ],
    });
    expect(Object.fromEntries(patches)).toEqual({
      late: condition(
        'OverBudget',
        'Older exceptions of the namespace, or exceptions of other namespaces, use up a budget.',
      ),
      bad: condition('Invalid', 'The exception cannot be read: spec.checks: empty'),
    });
    for (const each of both) {
      const status = patches.get(each.name);
      const object = { metadata: { name: each.name, generation: 1 }, status };
      statuses.leftOut({ ...each, object });
    }
    patches.clear();
    await statuses.written();
    expect([...patches.keys()]).toEqual([]);
  });
});
