import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { stringify } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiError, type ApiRequest } from '../../src/cluster/client/api-client.ts';
import { PolicyStore, type PolicyOrigin } from '../../src/cluster/sources/policy-store.ts';
import { exceptionSpec } from '../../src/engine/policy/probe-exception.ts';
import {
  ClusterPolicies,
  electionPart,
  openClusterConnection,
  type ConnectionConfig,
} from '../../src/process/cluster.ts';
import { AnsweringClient } from '../cluster/client/answering-client.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { NOW } from '../support/now.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { clusterPolicyDocument, policyDocument } from '../support/worlds.ts';
import { recordedLog } from './recorded-log.ts';

const CONFIG: ConnectionConfig = {
  kubeconfig: 'config',
  namespace: undefined,
  lease: 'probewright',
  leaseDuration: 60_000,
  leaseRenew: 15_000,
  watchRenewal: 300_000,
  readsServices: false,
  readsStartupProfiles: false,
  policyBudget: 1024,
};
const GROUP = '/apis/probewright.dev/v1alpha1';
const POLICIES = `${GROUP}/probepolicies`;
const EXCEPTIONS = `${GROUP}/probeexceptions`;
const SERVICES = '/api/v1/services';
const refused = (): never => {
  throw new ApiError(422, 'Invalid', 'HTTP 422');
};
const eventually = async (what: () => unknown): Promise<void> =>
  expect.poll(what, { interval: 2, timeout: 4000 }).toBe(true);
const object = (document: object): object => {
  const { metadata, ...rest } = document as { metadata: { name: string } };
  return { ...rest, metadata: { uid: metadata.name, generation: 1, resourceVersion: '5', ...metadata } };
};

interface Settings {
  readonly config?: Partial<ConnectionConfig>;
  readonly writesStatuses?: boolean;
  readonly origins?: readonly PolicyOrigin[];
}

/** The policies of a cluster whose objects a test gives, by the path of their list. */
class World {
  readonly objects: Record<string, readonly object[]> = {};
  readonly store: PolicyStore;
  readonly policies: ClusterPolicies;
  readonly #log = recordedLog();
  answer: (request: ApiRequest) => unknown = ({ body }) => body;
  readonly client = new AnsweringClient((request) => {
    if (request.method !== 'GET') return this.answer(request);
    if (request.path.endsWith('/legacy')) return structuredClone(this.objects[EXCEPTIONS]?.[0]);
    return { metadata: { resourceVersion: '9' }, items: structuredClone(this.objects[request.path] ?? []) };
  });

  constructor({ config, writesStatuses = true, origins = ['cluster'] }: Settings = {}) {
    this.store = new PolicyStore(origins);
    const connection = {
      client: this.client,
      server: 'https://api.test',
      namespace: 'system',
      config: { ...CONFIG, ...config },
    };
    this.policies = new ClusterPolicies(connection, this.store, { log: this.#log.log, now: () => NOW, writesStatuses });
    onTestFinished(() => this.policies.stop());
  }

  async started(...objects: readonly (readonly [path: string, ...objects: object[]])[]): Promise<this> {
    for (const [path, ...some] of objects) this.objects[path] = some.map(object);
    this.policies.start();
    let isRead = false;
    void this.policies.read.then(() => (isRead = true));
    await eventually(() => isRead);
    await eventually(() => this.client.watches.has(POLICIES));
    return this;
  }

  event(path: string, type: 'MODIFIED' | 'DELETED', document: object): void {
    this.client.watches.get(path)?.line(JSON.stringify({ type, object: object(document) }));
  }

  get patches(): readonly string[] {
    return this.client.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path);
  }

  /** The lines of the log with this message. */
  logged(message: string): readonly unknown[] {
    return this.#log.lines.filter((line) => (line as readonly unknown[])[1] === message);
  }
}

describe('a connection to a cluster', () => {
  async function opened(namespace: string | undefined, ofContext?: string): ReturnType<typeof openClusterConnection> {
    const kubeconfig = join(await temporaryDirectory(), 'config');
    const context = { cluster: 'c', user: 'u', ...(ofContext !== undefined && { namespace: ofContext }) };
    const text = stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'x', context }],
      users: [{ name: 'u', user: {} }],
    });
    await writeFile(kubeconfig, text);
    return openClusterConnection({ ...CONFIG, kubeconfig, namespace }, 'test');
  }

  it('has the namespace of the setting, else that of the context', async () => {
    expect(await opened('own', 'context')).toMatchObject({ namespace: 'own', server: 'https://127.0.0.1:1' });
    expect((await opened(undefined, 'context')).namespace).toBe('context');
  });

  it.each([
    [undefined, undefined],
    ['', 'context'],
    [undefined, ''],
  ])(
    'is refused with the namespaces "%s" and "%s"',
    async (setting, context) => await expect(opened(setting, context)).rejects.toThrow('--namespace: must be given'),
  );
});

describe('the election of a replica', () => {
  it('is logged with the Lease when this replica leads and no longer does, and when the Lease is unreachable', async () => {
    const { log, lines } = recordedLog();
    let isAway = true;
    let lease: object | undefined;
    const client = new AnsweringClient(({ method, body, path }) => {
      if (isAway) throw new Error('reset');
      if (method !== 'GET') return (lease = { ...(body as object) });
      if (lease !== undefined) return lease;
      throw new ApiError(404, 'NotFound', `${path} not found`);
    });
    const leads: boolean[] = [];
    const connection = { client, server: '', namespace: 'system', config: { ...CONFIG, leaseRenew: 1 } };
    const lead = (isLeader: boolean): void => void leads.push(isLeader);
    const clocks = { now: () => NOW, monotonic: () => performance.timeOrigin };
    const election = electionPart(connection, { log, leaderWrites: 'statuses', lead, ...clocks });
    onTestFinished(() => election.stop());
    election.start();
    await eventually(() => lines.length === 1);
    isAway = false;
    await eventually(() => leads.length === 1);
    await election.stop();
    expect(leads).toEqual([true, false]);
    const identity = expect.stringMatching(new RegExp(`^${hostname()}_[0-9a-f-]{36}$`)) as string;
    expect(lines).toEqual([
      [
        'warn',
        'the Lease cannot be read or written',
        { lease: 'probewright', problem: expect.stringContaining('reset') as string },
      ],
      ['info', 'this replica leads', { lease: 'probewright', identity, leaderWrites: 'statuses' }],
      ['info', 'the Lease can be read and written again', { lease: 'probewright' }],
      ['info', 'this replica no longer leads', { lease: 'probewright', identity }],
    ]);
    expect(client.requests[0]?.path).toBe('/apis/coordination.k8s.io/v1/namespaces/system/leases/probewright');
  });
});

describe('the policies of a cluster', () => {
  it('are in force once they have been read, and changes are, too', async () => {
    const world = await new World().started([POLICIES, policyDocument({})]);
    expect(world.logged('policies of the cluster read')).toEqual([
      ['info', 'policies of the cluster read', { policies: 1 }],
    ]);
    expect(world.policies.source.status()).toMatchObject({ description: 'cluster https://api.test', lastSync: NOW });
    world.event(POLICIES, 'MODIFIED', policyDocument({ port: 8080 }, 'more'));
    await eventually(() => world.store.current?.policies.length === 2);
    expect(world.logged('policies changed')).toHaveLength(1);
  });

  it.each<[Partial<ConnectionConfig>, readonly string[]]>([
    [{}, []],
    [{ readsServices: true }, [SERVICES]],
    [{ readsStartupProfiles: true }, [`${GROUP}/startupprofiles`]],
  ])('are read with the facts that %j asks for', async (config, more) => {
    const world = await new World({ config }).started();
    const always = [POLICIES, `${GROUP}/clusterprobepolicies`, EXCEPTIONS, '/api/v1/namespaces'];
    await eventually(() => world.client.watches.size === always.length + more.length);
    expect([...world.client.watches.keys()].toSorted()).toEqual([...always, ...more].toSorted());
    const kinds = world.policies.metrics.factBudgets().map(({ kind }) => kind);
    expect(kinds).toHaveLength(1 + more.length);
    expect(world.policies.metrics.policyBudget()).toMatchObject({ total: 1024, used: 0 });
  });

  it('that cannot be put in force are an error in the log, unless the process ends', async () => {
    const world = new World({ origins: ['files'] });
    world.policies.start();
    await eventually(() => world.logged('the policies of the cluster cannot be read').length === 1);
    const ended = new World();
    ended.policies.start();
    ended.policies.stop();
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(ended.logged('the policies of the cluster cannot be read')).toEqual([]);
    expect(ended.client.watches.size).toBe(0);
  });

  it('make requests wait for the labels of a namespace where a policy looks at labels', async () => {
    const blind = await new World().started();
    expect(blind.policies.source.namespaceKnown('new', 'client')).toBeUndefined();
    const selector = clusterPolicyDocument({ namespaceSelector: { matchLabels: { tier: 'web' } } });
    const looking = await new World().started([`${GROUP}/clusterprobepolicies`, selector]);
    expect(looking.policies.source.namespaceKnown('new', 'client')).toBeInstanceOf(Promise);
    const unknown = await new World({ origins: ['cluster', 'files'] }).started();
    expect(unknown.policies.source.namespaceKnown('new', 'client')).toBeInstanceOf(Promise);
  });
});

describe('the exceptions of a cluster', () => {
  const reasons = ({ store }: World): unknown =>
    store.current?.facts.exceptions.ofNamespace('apps').map((exception) => exceptionSpec(exception).reason);

  it('are counted by state, and lack their reasons in a process that writes statuses', async () => {
    const world = await new World().started([EXCEPTIONS, exceptionDocument()]);
    expect(reasons(world)).toEqual(['']);
    const counts = Object.values(world.policies.metrics.exceptions());
    expect(counts.reduce((sum, count) => sum + count)).toBe(1);
    const reading = await new World({ writesStatuses: false }).started([EXCEPTIONS, exceptionDocument()]);
    expect(reasons(reading)).toEqual(['The vendor image has one port.']);
    expect(reading.policies.exceptionStatuses).toBeUndefined();
  });

  it('that cannot be read are in the log, and the leader writes so into their status', async () => {
    const world = new World();
    const bodies: unknown[] = [];
    world.answer = ({ path, body }) => {
      if (path.startsWith(`${GROUP}/namespaces/apps/probeexceptions`)) bodies.push(body);
      return body;
    };
    world.policies.lead(true);
    await world.started([EXCEPTIONS, exceptionDocument({ checks: ['no-such-check'] })]);
    expect(world.logged('object cannot be read and has no effect')).toEqual([
      [
        'warn',
        'object cannot be read and has no effect',
        {
          kind: 'ProbeException',
          namespace: 'apps',
          name: 'legacy',
          problem: expect.stringContaining('no-such-check') as string,
        },
      ],
    ]);
    await eventually(() => bodies.length > 0);
    expect(JSON.stringify(bodies)).toContain('no-such-check');
  });
});

describe('the statuses of policies', () => {
  const path = `${GROUP}/namespaces/apps/probepolicies/policy/status`;

  it('are written while this replica leads', async () => {
    const world = await new World().started([POLICIES, policyDocument({})]);
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(world.patches).toEqual([]);
    world.policies.lead(true);
    await eventually(() => world.patches.includes(path));
    expect(world.policies.metrics.statusesSetAside()).toMatchObject({ refused: 0 });
    world.policies.lead(false);
    const before = world.patches.length;
    world.event(POLICIES, 'MODIFIED', policyDocument({ port: 1 }, 'policy'));
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(world.patches).toHaveLength(before);
  });

  it('are never written by a process that only reads', async () => {
    const world = await new World({ writesStatuses: false }).started([POLICIES, policyDocument({})]);
    world.policies.lead(true);
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    expect(world.patches).toEqual([]);
  });

  it('are given up when the process ends, those of exceptions, too', async () => {
    const world = new World();
    const signals: (AbortSignal | undefined)[] = [];
    world.answer = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    await world.started([POLICIES, policyDocument({})], [EXCEPTIONS, exceptionDocument()]);
    world.policies.lead(true);
    world.policies.exceptionStatuses?.pass();
    await eventually(() => signals.length === 2);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false, false]);
    world.policies.stop();
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it('of policies and exceptions that the API server refuses are in the log', async () => {
    const world = new World();
    world.answer = refused;
    await world.started([POLICIES, policyDocument({})], [EXCEPTIONS, exceptionDocument()]);
    world.policies.lead(true);
    world.policies.exceptionStatuses?.pass();
    const place = { policy: 'ProbePolicy/apps/policy', exception: 'ProbeException/apps/legacy' };
    await eventually(() => world.logged('status of an exception not written').length === 1);
    await eventually(() => world.logged('status of a policy not written').length === 1);
    const [policy, exception] = [
      world.logged('status of a policy not written'),
      world.logged('status of an exception not written'),
    ];
    const details = { reason: 'refused', problem: 'HTTP 422' };
    expect([policy[0], exception[0]]).toEqual([
      ['warn', 'status of a policy not written', { policy: place.policy, ...details }],
      ['warn', 'status of an exception not written', { exception: place.exception, ...details }],
    ]);
    expect(world.policies.metrics.statusesSetAside()).toMatchObject({ refused: 1 });
  });

  it.each<[string, string, readonly [path: string, ...objects: object[]]]>([
    ['policies', 'exceptions', [POLICIES, policyDocument({})]],
    ['exceptions', 'policies', [EXCEPTIONS, exceptionDocument()]],
  ])('of %s that cannot be written now say nothing about those of %s', async (what, others, objects) => {
    const world = new World();
    world.answer = () => {
      throw new Error('reset');
    };
    await world.started(objects);
    world.policies.lead(true);
    world.policies.exceptionStatuses?.pass();
    await eventually(() => world.logged(`statuses of ${what} cannot be written now`).length === 1);
    expect(world.logged(`statuses of ${others} cannot be written now`)).toEqual([]);
  });

  it('that cannot be written now are told once, and when they can be again', async () => {
    const world = new World();
    world.answer = () => {
      throw new Error('reset');
    };
    await world.started([POLICIES, policyDocument({})], [EXCEPTIONS, exceptionDocument()]);
    world.policies.lead(true);
    world.policies.exceptionStatuses?.pass();
    for (const what of ['policies', 'exceptions']) {
      const message = `statuses of ${what} cannot be written now`;
      await eventually(() => world.logged(message).length === 1);
      expect(world.logged(message)).toEqual([['warn', message, { problem: 'reset' }]]);
    }
    world.answer = ({ body }) => body;
    // The pause after a failure is half a second or more.
    for (const what of ['policies', 'exceptions']) {
      const message = `statuses of ${what} can be written again`;
      await eventually(() => world.logged(message).length === 1);
      expect(world.logged(message)).toEqual([['info', message, {}]]);
    }
  });
});

describe('objects over a budget', () => {
  const policy = (index: number, namespace = 'apps'): object => policyDocument({}, `p${index}`, namespace);
  const of = (count: number): object[] => Array.from({ length: count }, (_, index) => policy(1000 + index));

  it('are in the log by their names, and again when there is room', async () => {
    const world = new World({ config: { policyBudget: 1024 * 1024 } });
    await world.started([POLICIES, ...of(101)]);
    const message = 'policies over budget are not in force';
    const first = ['ProbePolicy/apps/p1100'];
    const details = { namespace: 'apps', overBudget: 1, first, inForce: 100, bytes: 200 };
    expect(world.logged(message)).toEqual([['warn', message, details]]);
    world.objects[POLICIES] = of(100).map(object);
    world.event(POLICIES, 'DELETED', policy(1100));
    const again = 'the policies of the namespace are within the budgets again';
    await eventually(() => world.logged(again).length === 1);
    expect(world.logged(again)).toEqual([['info', again, { ...details, overBudget: 0, first: [] }]]);
  });

  it('are listed again by a new leader, and by nobody who writes no statuses', async () => {
    const config = { policyBudget: 1024 * 1024 };
    const listsAfter = async (isLeader: boolean, writesStatuses: boolean): Promise<number> => {
      const world = await new World({ config, writesStatuses }).started([POLICIES, ...of(101)]);
      const lists = (): number => world.client.requests.filter(({ path }) => path === POLICIES).length;
      const before = lists();
      world.policies.lead(isLeader);
      for (let turn = 0; turn < 10; turn++) await setImmediate();
      return lists() - before;
    };
    expect([await listsAfter(true, true), await listsAfter(false, true), await listsAfter(true, false)]).toEqual([
      1, 0, 0,
    ]);
  });

  it('of other kinds are in the log by kind and namespace', async () => {
    const service = (labels: number): object => ({
      metadata: { name: 'web', namespace: 'apps' },
      spec: {
        selector: Object.fromEntries(Array.from({ length: labels }, (_, index) => [`l${index}`, 'x'.repeat(60)])),
        ports: [{ port: 80 }],
      },
    });
    const world = await new World({ config: { readsServices: true } }).started([SERVICES, service(200)]);
    const details = { kind: 'Service', namespace: 'apps' };
    const [over, within] = [
      'objects over budget have no effect',
      'the objects of the namespace are within the budgets again',
    ];
    await eventually(() => world.logged(over).length === 1);
    expect(world.logged(over)).toEqual([['warn', over, { ...details, first: ['web'], overBudget: 1 }]]);
    await eventually(() => world.client.watches.has(SERVICES));
    world.event(SERVICES, 'MODIFIED', service(1));
    await eventually(() => world.logged(within).length === 1);
    expect(world.logged(within)).toEqual([['info', within, { ...details, first: [] }]]);
  });
});
