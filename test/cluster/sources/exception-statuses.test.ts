import { describe, expect, it } from 'vitest';
import { Exceptions } from '../../../src/engine/facts/exceptions.ts';
import { NO_FACTS } from '../../../src/engine/facts/facts.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { PROBE_EXCEPTIONS, WEBHOOK_EXCEPTIONS } from '../../../src/cluster/sources/exception-kind.ts';
import { exceptionCounts, ExceptionStatuses } from '../../../src/cluster/sources/exception-statuses.ts';
import { LeftOutFact } from '../../../src/cluster/sources/left-out-fact.ts';
import { ApiError } from '../../../src/cluster/client/api-error.ts';
import { exceptionDocument, parsedException } from '../../support/exceptions.ts';
import { clusterPolicyDocument, policySet } from '../../support/worlds.ts';
import type { ApiClient, ApiRequest } from '../../../src/cluster/client/api-client.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { LeftOutObject } from '../../../src/cluster/sources/fact-reports.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const CREATED = '2026-06-01T00:00:00Z';
const DAY = 24 * 3600_000;
const END = Date.parse('2026-08-01T00:00:00Z');

interface World {
  readonly statuses: ExceptionStatuses;
  readonly patches: JsonObject[];
  readonly object: () => JsonObject;
  time: number;
  failure: Error | undefined;
  readonly problems: (string | undefined)[];
}

/** A cluster with one exception, which a writer of statuses looks at. */
function world(policy: JsonObject = {}): World {
  let object: JsonObject = exceptionDocument({}, { creationTimestamp: CREATED, generation: 1, resourceVersion: '1' });
  const base = policySet(clusterPolicyDocument(policy));
  const snapshot = (): Snapshot => {
    const read = PROBE_EXCEPTIONS.read(object, CHECK_CATALOGUE);
    if (read === undefined || 'problems' in read) throw new Error('unreadable');
    return base.withFacts({ ...NO_FACTS, exceptions: new Exceptions(new Map([['apps', [read.fact]]])) });
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
  const problems: (string | undefined)[] = [];
  const statuses = new ExceptionStatuses({
    client: { request } as unknown as ApiClient,
    snapshot,
    now: () => made.time,
    troubled: (problem) => problems.push(problem),
  });
  const made: World = { statuses, patches, object: () => object, time: END - 40 * DAY, failure: undefined, problems };
  return made;
}

const stateOf = (status: JsonObject | undefined): unknown => status?.['state'];

describe('ExceptionStatuses', () => {
  it('writes a state once, and again when it changes with time alone', async () => {
    const made = world();
    made.statuses.lead(true);
    for (const time of [END - 40 * DAY, END - 39 * DAY, END - 14 * DAY, END - 1, END, END + DAY]) {
      made.time = time;
      await made.statuses.pass();
    }
    expect(made.patches.map(stateOf)).toEqual(
      ['Active', 'Unused', 'Expiring', 'Expired'].filter((s) => s !== 'Unused'),
    );
  });

  it('writes nothing without the lead, except matches', async () => {
    const made = world();
    await made.statuses.pass();
    expect(made.patches).toEqual([]);
    made.statuses.matched('apps', 'legacy', made.time);
    made.statuses.matched('apps', 'legacy', made.time);
    await made.statuses.pass();
    expect(made.patches).toEqual([{ matches: 2, lastMatched: '2026-06-22T00:00:00Z' }]);
  });

  it('adds matches at most once an hour', async () => {
    const made = world();
    for (let minute = 0; minute < 180; minute++) {
      made.time += 60_000;
      made.statuses.matched('apps', 'legacy', made.time);
      await made.statuses.pass();
    }
    expect(made.patches.map((status) => status['matches'])).toEqual([1, 61, 121]);
  });

  it('adds matches after the clock was set back, too', async () => {
    const made = world();
    for (const time of [END, END - 40 * DAY]) {
      made.time = time;
      made.statuses.matched('apps', 'legacy', time);
      await made.statuses.pass();
    }
    expect(made.patches.map((status) => status['matches'])).toEqual([1, 2]);
  });

  it('calls an exception unused after 30 days without a match, and limited if policies shorten it', async () => {
    const made = world({ exceptions: { maximumDays: 50 } });
    made.statuses.lead(true);
    made.time = Date.parse(CREATED) + 30 * DAY;
    await made.statuses.pass();
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
    await made.statuses.pass();
    await made.statuses.pass();
    made.failure = undefined;
    await made.statuses.pass();
    expect(made.problems).toEqual(['away', undefined]);
  });
});

describe('statuses of many exceptions', () => {
  /** A leader's writer. The API server stores no status, so each status stays due. */
  function writerOf(named: Readonly<Record<string, number>>, fails: (name: string) => Error | undefined) {
    const exceptions = new Map(
      Object.entries(named).map(([namespace, count]) => [
        namespace,
        Array.from({ length: count }, (_, index) =>
          parsedException(exceptionDocument({}, { name: `${namespace}-${index}`, namespace })),
        ),
      ]),
    );
    const snapshot = policySet(clusterPolicyDocument({})).withFacts({
      ...NO_FACTS,
      exceptions: new Exceptions(exceptions),
    });
    const [written, problems]: [string[], unknown[]] = [[], []];
    const clock = { now: END - 40 * DAY };
    const request = ({ method, path }: ApiRequest): Promise<unknown> => {
      const name = /probeexceptions\/([^/]+)/.exec(path)?.[1] ?? '';
      const failure = method === 'PATCH' ? fails(name) : undefined;
      if (failure !== undefined) return Promise.reject(failure);
      if (method === 'PATCH') written.push(name);
      return Promise.resolve(exceptionDocument({}, { name, generation: 1, resourceVersion: '1' }));
    };
    const statuses = new ExceptionStatuses({
      client: { request } as unknown as ApiClient,
      snapshot: () => snapshot,
      now: () => clock.now,
      troubled: (problem) => problems.push(problem),
    });
    statuses.lead(true);
    return { statuses, written, problems, clock };
  }

  it('are written, although some objects have no room for a status', async () => {
    const tooLarge = new ApiError(500, 'InternalError', 'etcdserver: request is too large');
    let attempts = 0;
    const { statuses, written, problems } = writerOf({ tenant: 3, victim: 1 }, (name) => {
      if (!name.startsWith('tenant')) return undefined;
      attempts += 1;
      return tooLarge;
    });
    await statuses.pass();
    await statuses.pass();
    expect({ written, attempts, problems }).toEqual({ written: ['victim-0', 'victim-0'], attempts: 3, problems: [] });
  });

  it('are tried again after the clock was set back', async () => {
    let isFull = true;
    const full = new ApiError(500, 'InternalError', 'etcdserver: request is too large');
    const { statuses, written, clock } = writerOf({ a: 1 }, () => (isFull ? full : undefined));
    await statuses.pass();
    isFull = false;
    clock.now -= 40 * DAY;
    await statuses.pass();
    expect(written).toEqual(['a-0']);
  });

  it('are written in turns of namespaces', async () => {
    const { statuses, written } = writerOf({ a: 1000, b: 1000, c: 1000, d: 1000, e: 1000, victim: 1 }, () => undefined);
    await statuses.pass();
    await statuses.pass();
    expect(written.slice(0, 60).filter((name) => name.startsWith('a-'))).toHaveLength(15);
    expect(written).toContain('victim-0');
  });

  it('wait while the API server is away', async () => {
    const { statuses, written, problems } = writerOf({ a: 3 }, () => new ApiError(503, 'ServiceUnavailable', 'away'));
    await statuses.pass();
    expect({ written, problems }).toEqual({ written: [], problems: ['away'] });
  });
});

describe('exceptionCounts', () => {
  it('counts every state, and none without a snapshot', () => {
    expect(exceptionCounts(undefined, 0)).toEqual({ Active: 0, Expiring: 0, Expired: 0, Unused: 0 });
  });
});

describe('the webhook', () => {
  it('keeps no reason and no ticket of an exception, and all of the rest', () => {
    const object = exceptionDocument(
      { ticket: 'PAY-1', containers: ['app'] },
      { creationTimestamp: CREATED, generation: 1 },
    );
    const read = WEBHOOK_EXCEPTIONS.read(object, CHECK_CATALOGUE);
    if (read === undefined || 'problems' in read) throw new Error('unreadable');
    const { name, expires, created, reported, spec } = WEBHOOK_EXCEPTIONS.mirrored?.(read.fact) ?? read.fact;
    expect({ name, expires, created, reported, spec }).toEqual({
      name: 'legacy',
      expires: END,
      created: Date.parse(CREATED),
      reported: read.fact.reported,
      spec: {
        checks: ['named-port'],
        workloads: [{ kind: 'Deployment', name: 'web' }],
        containers: ['app'],
        owner: 'team-a',
        reason: '',
      },
    });
  });

  describe('for exceptions that are left out', () => {
    const fields = { created: Date.parse(CREATED), bytes: 0, reported: undefined };
    const overBudget = (name: string): LeftOutFact =>
      new LeftOutFact({ ...fields, name, reason: 'bytes', problem: undefined });

    /** Writes statuses of exceptions that stay as they are, but for their status. */
    function leftOutWorld(facts: readonly LeftOutFact[]): {
      readonly statuses: ExceptionStatuses;
      readonly patches: Map<string, JsonObject>;
    } {
      const patches = new Map<string, JsonObject>();
      let left = facts;
      const client = {
        request: ({ method, path, body }: ApiRequest): Promise<unknown> => {
          const name = /probeexceptions\/([^/]+)/.exec(path)?.[1] ?? '';
          if (method === 'PATCH') {
            const { status } = body as { status: JsonObject };
            patches.set(name, status);
            const object = exceptionDocument({}, { name, generation: 1 });
            const reported = PROBE_EXCEPTIONS.reportedOf?.({ ...object, status });
            left = left.map((fact) => {
              const { reason, problem } = fact;
              return fact.name === name ? new LeftOutFact({ ...fields, name, reason, problem, reported }) : fact;
            });
          }
          return Promise.resolve(exceptionDocument({}, { name, generation: 1, resourceVersion: '1' }));
        },
      } as unknown as ApiClient;
      const snapshot = (): Snapshot => policySet();
      const leftOut = (): LeftOutObject[] => left.map((fact) => ({ namespace: 'apps', fact }));
      const now = (): number => END;
      const statuses = new ExceptionStatuses({ client, snapshot, leftOut, now, troubled: () => undefined });
      return { statuses, patches };
    }

    it('says why an exception is not honoured, once', async () => {
      const invalid = new LeftOutFact({ ...fields, name: 'bad', reason: 'invalid', problem: 'spec.checks: empty' });
      const { statuses, patches } = leftOutWorld([overBudget('late'), invalid]);
      statuses.lead(true);
      await statuses.pass();
      const condition = (reason: string, why: string): object => ({
        observedGeneration: 1,
        state: reason,
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
      patches.clear();
      await statuses.pass();
      expect([...patches.keys()]).toEqual([]);
    });

    it('writes 15 of a namespace in a pass, and nothing without the lead', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `e${String(index).padStart(2, '0')}`);
      const { statuses, patches } = leftOutWorld(names.map(overBudget));
      await statuses.pass();
      expect(patches.size).toBe(0);
      statuses.lead(true);
      for (const count of [15, 30, 40, 40]) {
        await statuses.pass();
        expect(patches.size).toBe(count);
      }
    });
  });
});
