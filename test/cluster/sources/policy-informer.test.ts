import { describe, expect, it } from 'vitest';
import { InformedPolicies, policyKind } from '../../../src/cluster/sources/policy-informer.ts';
import { MAX_SPEC_BYTES } from '../../../src/engine/policy/bounds.ts';
import { NO_LIMITS, POLICY_BUDGET_BYTES, POLICY_LIMITS, policyTotal } from '../../../src/engine/policy/budget.ts';
import { AnsweringClient } from '../client/answering-client.ts';
import { ManualTimer } from './cluster-world.ts';
import { NOW } from '../../support/now.ts';
import type { KubernetesObject, ObjectMetadata } from '../../../src/cluster/client/kubernetes-object.ts';
import type { OverBudgetChange } from '../../../src/cluster/sources/left-out-objects.ts';
import type { StatusTask } from '../../../src/cluster/sources/object-statuses.ts';
import type { PolicyKind } from '../../../src/engine/policy/probe-policy.ts';

const BROKEN = { port: 70_000, containers: 'app' };
const PROBLEMS = ['spec.containers: must be a list; write ["app"]', 'spec.port: must be at most 65535, not 70000'];
const SHORT_START = { slowStart: { startupSeconds: 10 } };

/** A server that counts no generations leaves fields out. */
type Metadata = { readonly [Field in keyof ObjectMetadata]?: ObjectMetadata[Field] | undefined };

/** The policies of a kind, without a cluster: a test says what the API server has. */
class World {
  readonly failed: string[] = [];
  readonly warned: string[] = [];
  readonly over: OverBudgetChange[] = [];
  readonly tasks: StatusTask[] = [];
  readonly dropped: string[] = [];
  readonly timer = new ManualTimer();
  changes = 0;
  /** What the API server makes of a patch of a status. */
  answer: (patch: object) => object = (patch) => patch;
  readonly client = new AnsweringClient(({ body }) => ({
    metadata: { resourceVersion: '99' },
    ...this.answer(body as object),
  }));
  readonly informed: InformedPolicies;
  #version = 0;

  constructor(kind: PolicyKind = 'ProbePolicy', { total = POLICY_BUDGET_BYTES, hasStatuses = true } = {}) {
    const context = { client: this.client, now: () => NOW, random: () => 0, timer: this.timer.set };
    this.informed = new InformedPolicies(
      context,
      kind,
      {
        changed: () => this.changes++,
        failed: (problems) => {
          expect(problems).not.toEqual([]);
          this.failed.push(...problems);
        },
        warned: (warnings) => {
          expect(warnings).not.toEqual([]);
          this.warned.push(...warnings);
        },
        overBudget: (change) => this.over.push(change),
        troubled: () => undefined,
      },
      hasStatuses
        ? { put: (task) => void this.tasks.push(task), drop: (place) => void this.dropped.push(place) }
        : undefined,
      total,
    );
  }

  object(spec: unknown, metadata: Metadata = {}, rest: object = {}): KubernetesObject {
    this.#version += 1;
    const common = { name: 'web', uid: 'first', generation: this.#version, resourceVersion: String(this.#version) };
    const namespace = this.informed.kind === 'ProbePolicy' && { namespace: 'apps' };
    return { metadata: { ...common, ...namespace, ...metadata }, spec, ...rest } as KubernetesObject;
  }

  list(...objects: KubernetesObject[]): this {
    const { store } = this.informed.informer;
    store.listing();
    store.seen(objects);
    store.listed();
    return this;
  }

  apply(spec: unknown, metadata: Metadata = {}, rest: object = {}): KubernetesObject {
    const object = this.object(spec, metadata, rest);
    this.informed.informer.store.seen([structuredClone(object)]);
    return object;
  }

  get ports(): unknown {
    return Object.fromEntries(this.informed.policies().map(({ source, port }) => [source, port]));
  }

  /** The status that the last task writes. Undefined without a write. */
  async written(): Promise<Record<string, unknown> | undefined> {
    const { length } = this.client.requests;
    await this.tasks.at(-1)?.write(new AbortController().signal);
    const [request] = this.client.requests.slice(length);
    return (request?.body as { status: Record<string, unknown> } | undefined)?.status;
  }

  async condition(): Promise<Record<string, unknown>> {
    const { observedGeneration, conditions } = (await this.written()) as {
      conditions: [{ [key: string]: unknown }];
    } & {
      observedGeneration: number;
    };
    const [{ status, reason, message }] = conditions;
    return { observedGeneration, status, reason, message };
  }
}

describe('the version of a policy in force', () => {
  it('is the newest that can be read', () => {
    const world = new World().list();
    expect([world.ports, world.changes]).toEqual([{}, 1]);
    world.apply({ port: 1 });
    world.apply({ port: 2 });
    world.apply({ port: 3 }, { name: 'api', namespace: 'other' });
    expect(world.ports).toEqual({ 'ProbePolicy/apps/web': 2, 'ProbePolicy/other/api': 3 });
    expect([world.changes, world.failed, world.warned]).toEqual([4, [], []]);
    expect(world.informed.counts()).toEqual({
      overBudget: { object: 0, objects: 0, bytes: 0, total: 0, invalid: 0 },
      used: 2 * '{"port":1}'.length,
      problems: 0,
    });
  });

  it('is the last good one while the newest cannot be read, and each problem is reported once', () => {
    const world = new World().list();
    world.apply({ port: 1 });
    world.apply(BROKEN);
    const lines = PROBLEMS.map((problem) => `ProbePolicy/apps/web: ${problem}`);
    expect([world.ports, world.failed, world.changes]).toEqual([{ 'ProbePolicy/apps/web': 1 }, lines, 2]);
    expect([world.informed.problems(), world.informed.counts().problems]).toEqual([lines, 2]);
    world.apply(BROKEN, { generation: 2, labels: { touched: 'yes' } });
    expect(world.failed).toHaveLength(2);
    world.apply({ port: 3 });
    expect([world.ports, world.informed.problems()]).toEqual([{ 'ProbePolicy/apps/web': 3 }, []]);
  });

  it('is none for an object that was created again under the same name and cannot be read', () => {
    const world = new World().list();
    world.apply({ port: 1 });
    world.apply(BROKEN, { uid: 'second' });
    expect(world.ports).toEqual({});
    world.apply({ port: 2 }, { uid: 'third', generation: 2 });
    expect(world.ports).toEqual({ 'ProbePolicy/apps/web': 2 });
  });

  it('is not read again without a new generation', () => {
    const world = new World().list();
    world.apply({ port: 1 }, { generation: 1 });
    const [first] = world.informed.policies();
    world.apply({ port: 2 }, { generation: 1 });
    expect(world.informed.policies()[0]).toBe(first);
    expect([world.ports, world.changes, world.tasks.length]).toEqual([{ 'ProbePolicy/apps/web': 1 }, 2, 2]);
  });

  it('is read at each event from a server that counts no generations', async () => {
    const world = new World().list();
    const metadata = { generation: undefined, resourceVersion: undefined };
    for (const port of [1, 2]) world.apply({ port }, metadata);
    expect([world.ports, world.changes]).toEqual([{ 'ProbePolicy/apps/web': 2 }, 3]);
    world.apply(BROKEN, metadata);
    expect((await world.condition())['message']).toMatch(/^generation 0 stays in force: /);
  });

  it('belongs to the cluster for a ClusterProbePolicy', () => {
    const world = new World('ClusterProbePolicy').list();
    world.apply({ port: 1, priority: 7 });
    world.apply({ port: 'UPPER' }, { name: 'bad' });
    expect(world.ports).toEqual({ 'ClusterProbePolicy/web': 1 });
    expect(world.failed).toEqual([expect.stringMatching(/^ClusterProbePolicy\/bad: spec\.port: /)]);
    expect(world.informed.counts().used).toBe('{"port":1,"priority":7}'.length);
  });
});

describe('a warning about a policy', () => {
  const EMPTY_PROBE = { probes: { livenessProbe: {} } };

  it('is reported once, and not for a version that is not in force', () => {
    const world = new World().list();
    const object = world.apply(EMPTY_PROBE);
    const line = expect.stringMatching(/^ProbePolicy\/apps\/web: spec\.probes\.livenessProbe: /) as string;
    expect(world.warned).toEqual([line]);
    world.list(object);
    world.apply(EMPTY_PROBE, { generation: 1, labels: { touched: 'yes' } });
    expect(world.warned).toHaveLength(1);
    world.apply(BROKEN);
    expect([world.warned.length, world.failed.length]).toEqual([1, 2]);
  });

  it('is in the status', async () => {
    const world = new World().list();
    world.apply(EMPTY_PROBE);
    expect(await world.condition()).toMatchObject({ status: 'True', reason: 'AcceptedWithWarnings' });
    world.apply(BROKEN);
    expect(await world.condition()).toMatchObject({ status: 'False', reason: 'Invalid' });
  });
});

describe('the problems of a policy', () => {
  /** The lengths of the kept problems of a policy with unknown fields of these lengths. */
  const keptOf = (...fields: number[]): number[] => {
    const world = new World().list();
    world.apply(
      Object.fromEntries(fields.map((length, index) => [String.fromCodePoint(97 + index).repeat(length), 1])),
    );
    expect(world.informed.counts().problems).toBe(fields.length);
    expect(world.failed).toEqual(world.informed.problems());
    return world.informed.problems().map((line) => line.replace('ProbePolicy/apps/web: ', '').length);
  };

  it('are kept up to 1,024 characters, and all are counted', () => {
    const [text = 0] = keptOf(1);
    const room = 1024 - 2 * (text - 1);
    expect(keptOf(300, room - 300, 1)).toEqual([text + 299, text - 1 + room - 300]);
    expect(keptOf(300, room - 299, 1)).toEqual([text + 299]);
    expect(keptOf(300, 1, 1, 1, 1, 1)).toHaveLength(3);
  });

  it('are kept in part where the first alone is longer', () => expect(keptOf(5000, 1)).toEqual([1024]));

  it('do not end the reading of others, whatever a spec holds', () => {
    const world = new World().list();
    let deep: unknown = 'x';
    for (let level = 0; level < 50_000; level++) deep = [deep];
    const hostile = {
      get port(): number {
        throw new Error('no port');
      },
    };
    // A clone would overflow the stack.
    world.informed.informer.store.seen([
      world.object({ port: deep }, { name: 'deep' }),
      world.object(undefined, { name: 'none' }),
      world.object(hostile, { name: 'hostile' }),
      world.object({ port: 4 }, { name: 'good' }),
    ]);
    expect(world.ports).toEqual({ 'ProbePolicy/apps/good': 4 });
    expect(world.failed).toEqual([
      `ProbePolicy/apps/deep: spec.port: must be a port's number or name, not ${'['.repeat(57)}...`,
      'ProbePolicy/apps/none: spec: must be given; {} is a policy that says nothing',
      'ProbePolicy/apps/hostile: cannot be read: Error: no port',
    ]);
  });
});

/** A spec with this many bytes as JSON, of which a policy may have 64 KiB. */
function specOf(bytes: number): object {
  const matchExpressions = Array.from({ length: 19 }, () => ({
    key: 'tier',
    operator: 'In',
    values: Array.from({ length: 64 }, () => 'v'.repeat(40)),
  }));
  const spec = { workloadSelector: { matchExpressions } };
  for (const { values } of matchExpressions)
    for (const [index, value] of values.entries())
      values[index] = value + 'v'.repeat(Math.max(0, Math.min(23, bytes - JSON.stringify(spec).length)));
  expect(JSON.stringify(spec)).toHaveLength(bytes);
  return spec;
}

describe('a policy whose spec is too large', () => {
  it('has no effect from 65,537 bytes on, and leaves the last good version in force', async () => {
    const world = new World().list();
    world.apply({ port: 1 });
    world.apply(specOf(MAX_SPEC_BYTES + 1));
    expect([world.ports, world.failed, world.informed.problems()]).toEqual([{ 'ProbePolicy/apps/web': 1 }, [], []]);
    expect(world.informed.counts()).toMatchObject({ overBudget: { object: 1 }, problems: 0 });
    expect(await world.condition()).toEqual({
      observedGeneration: 2,
      status: 'False',
      reason: 'OverBudget',
      message: expect.stringMatching(
        /^generation 1 stays in force: the spec has 65537 bytes as JSON, and a policy may have 65536\./,
      ) as string,
    });
    world.apply(specOf(MAX_SPEC_BYTES));
    expect([world.failed, world.informed.counts().overBudget.object]).toEqual([[], 0]);
    expect(world.ports).toEqual({ 'ProbePolicy/apps/web': undefined });
  });
});

describe('the status of a policy', () => {
  it('is asked for at each change of the object, with its version, and names what is in force', async () => {
    const world = new World().list();
    world.apply({ port: 1 }, { name: 'a/b', generation: 7 });
    expect(world.tasks.map(({ key, resourceVersion }) => [key, resourceVersion])).toEqual([
      ['ProbePolicy/apps/a/b', '1'],
    ]);
    world.apply({ port: 1 }, { generation: 7 });
    expect(await world.condition()).toEqual({
      observedGeneration: 7,
      status: 'True',
      reason: 'Accepted',
      message: 'in force',
    });
    expect(world.client.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/apis/probewright.dev/v1alpha1/namespaces/apps/probepolicies/web/status',
        query: { fieldManager: 'probewright-status' },
      },
    ]);
    world.apply(BROKEN, { generation: 8 });
    expect(await world.condition()).toMatchObject({
      observedGeneration: 8,
      reason: 'Invalid',
      message: `generation 7 stays in force: ${PROBLEMS.join('; ')}`,
    });
  });

  it('of a ClusterProbePolicy is at the path of the cluster', async () => {
    const world = new World('ClusterProbePolicy').list();
    world.apply({}, { name: 'my.policy:x', generation: undefined });
    expect(await world.condition()).toMatchObject({ observedGeneration: 0 });
    expect(world.client.requests[0]?.path).toBe(
      '/apis/probewright.dev/v1alpha1/clusterprobepolicies/my.policy%3Ax/status',
    );
  });

  it('is not written where the object shows it', async () => {
    const world = new World().list();
    world.apply({});
    const status = await world.written();
    world.apply({}, { generation: 1 }, { status });
    expect(world.tasks).toHaveLength(2);
    expect(await world.written()).toBeUndefined();
  });

  it('is refused when the API server does not keep all of it', async () => {
    const world = new World().list();
    world.answer = () => ({ status: {} });
    world.apply({});
    const writing = world.written();
    await expect(writing).rejects.toThrow('the API server does not keep all of the status');
    await expect(writing).rejects.toMatchObject({ resourceVersion: '99' });
  });

  it('has advice about the version in force', async () => {
    const world = new World().list();
    world.apply(SHORT_START);
    const status = await world.written();
    expect(status).toMatchObject({ adviceCount: 1, advice: [{ field: 'spec.slowStart.startupSeconds' }] });
    world.apply(SHORT_START, { generation: 1 });
    expect((await world.written())?.['advice']).toEqual(status?.['advice']);
    world.apply(BROKEN);
    expect((await world.written())?.['advice']).toBeUndefined();
  });

  it('is dropped with the object', () => {
    const world = new World().list();
    world.apply({});
    world.list();
    expect(world.dropped).toEqual(['ProbePolicy/apps/web']);
    const ofCluster = new World('ClusterProbePolicy').list();
    ofCluster.apply({});
    ofCluster.list();
    expect(ofCluster.dropped).toEqual(['ClusterProbePolicy/web']);
  });

  it("is nobody's task where nobody writes statuses", () => {
    const world = new World('ProbePolicy', { hasStatuses: false, total: 1 }).list();
    world.apply({ port: 1 });
    world.apply(BROKEN);
    world.list();
    expect([world.ports, world.failed.length, world.tasks]).toEqual([{}, 0, []]);
  });
});

describe('policies over a budget', () => {
  const minute = (index: number): Metadata => ({
    name: `p${index}`,
    creationTimestamp: new Date(NOW + index * 60_000).toISOString(),
  });

  it('are not in force from the 101st of a namespace on, and their statuses say so', async () => {
    const world = new World().list();
    for (let index = 0; index < POLICY_LIMITS.objects; index++) world.apply({ port: 1 }, minute(index));
    expect([world.over, world.informed.policies().length]).toEqual([[], 100]);
    world.apply({ port: 1 }, minute(100));
    expect(world.over).toMatchObject([{ namespace: 'apps', count: 1, first: ['p100'], use: { objects: 100 } }]);
    expect(world.informed.counts()).toMatchObject({ overBudget: { object: 0, objects: 1 }, used: 1000, problems: 0 });
    expect([world.tasks.at(-1)?.key, await world.condition()]).toEqual([
      'ProbePolicy/apps/p100',
      {
        observedGeneration: 101,
        status: 'False',
        reason: 'OverBudget',
        message: expect.stringMatching(
          /^no version is in force: a namespace may have 100 policies in force, and this one has 100\./,
        ) as string,
      },
    ]);
    // Not even its contents are known.
    world.apply(BROKEN, minute(101));
    expect([world.tasks.at(-1)?.key, world.failed]).toEqual(['ProbePolicy/apps/p101', []]);
    expect(await world.condition()).toMatchObject({ observedGeneration: 102, reason: 'OverBudget' });
  });

  it('are not in force where all namespaces together have too many', async () => {
    const world = new World('ProbePolicy', { total: 25 }).list();
    for (let index = 0; index < 3; index++) world.apply({ port: 1 }, { ...minute(index), namespace: `n${index}` });
    expect(Object.keys(world.ports as object)).toEqual(['ProbePolicy/n0/p0']);
    expect(world.informed.counts().overBudget.total).toBe(2);
    expect(await world.condition()).toMatchObject({
      reason: 'OverBudget',
      message: expect.stringContaining('all namespaces together may have 1 policies with 25 bytes in force') as string,
    });
  });

  it('are listed again by a leader that looks at all statuses', () => {
    const world = new World().list();
    for (let index = 0; index < 2; index++) world.apply({ port: 1 }, minute(index));
    world.tasks.length = 0;
    world.informed.judgeAll();
    expect(world.tasks.map(({ key }) => key)).toEqual(['ProbePolicy/apps/p0', 'ProbePolicy/apps/p1']);
    expect(world.timer.waiting.size).toBe(0);
    for (let index = 2; index < 101; index++) world.apply({ port: 1 }, minute(index));
    world.tasks.length = 0;
    world.informed.judgeAll();
    expect([world.tasks.length, world.timer.waiting.size]).toEqual([100, 1]);
  });

  it('are never those of the cluster', () => {
    const kind = policyKind('ClusterProbePolicy', 1);
    expect([kind.limits, kind.resource]).toEqual([NO_LIMITS, 'clusterprobepolicies']);
    const ofNamespaces = policyKind('ProbePolicy', 4096);
    expect(ofNamespaces.limits).toEqual({ ...POLICY_LIMITS, total: policyTotal(4096) });
    expect([ofNamespaces.resource, ofNamespaces.isRequired]).toEqual(['probepolicies', true]);
  });
});
