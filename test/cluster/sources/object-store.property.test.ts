import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byAge, firstWithoutRoom, type Age, type BudgetLimits, type Use } from '../../../src/engine/policy/budget.ts';
import { PROBE_EXCEPTIONS, SERVICES, type FactKind } from '../../../src/cluster/sources/fact-kinds.ts';
import { ObjectStore } from '../../../src/cluster/sources/object-store.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import { runs } from '../../support/runs.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { ProbeException } from '../../../src/engine/policy/probe-exception.ts';
import type { Named } from '../../../src/cluster/sources/object-store.ts';
import type { LeftOut, OverBudgetChange } from '../../../src/cluster/sources/left-out-objects.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const created = (minute: number): string =>
  new Date(Date.parse('2026-06-01T00:00:00Z') + minute * 60_000).toISOString();

/** An exception whose owner has this many characters, or whose reason has them beyond the bound of owners. */
function exception(namespace: string, name: string, minute = 0, size = 10): KubernetesObject {
  const document = exceptionDocument(size > 128 ? { reason: 'r'.repeat(size) } : { owner: 'o'.repeat(size) }, {
    creationTimestamp: created(minute),
  });
  return { ...document, metadata: { ...(document['metadata'] as object), namespace, name } };
}

/** A collection in a cluster, and a store that is told of it. */
class World {
  readonly objects = new Map<string, KubernetesObject>();
  readonly over: OverBudgetChange[] = [];
  readonly unreadable: object[] = [];
  readonly told: LeftOut<Named>[] = [];
  readonly gone: string[] = [];
  readonly limits: BudgetLimits;
  readonly store: ObjectStore<Named>;
  changes = 0;
  lists = 0;
  isListWanted = false;

  constructor(limits: Partial<BudgetLimits> = {}, kind: FactKind = PROBE_EXCEPTIONS) {
    this.limits = { ...kind.limits, ...limits };
    this.store = new ObjectStore(
      { ...kind, limits: this.limits },
      {
        changed: () => this.changes++,
        overBudget: (change) => this.over.push(change),
        unreadable: (object) => this.unreadable.push(object),
        leftOut: (left) => this.told.push(left),
        gone: (namespace, name) => this.gone.push(`${namespace}/${name}`),
        mayFit: () => (this.isListWanted = true),
        troubled: () => undefined,
      },
    );
  }

  put(object: KubernetesObject): void {
    this.objects.set(`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
  }

  /** A list, and those that it asks for: at most one, as nothing changes meanwhile. */
  list(pageSize = 3): void {
    for (let attempt = 0; attempt < 2 && (attempt === 0 || this.isListWanted); attempt++) {
      this.isListWanted = false;
      this.lists++;
      this.store.listing();
      const all = [...this.objects.values()].map((object) => structuredClone(object));
      for (let at = 0; at < all.length; at += pageSize) this.store.seen(all.slice(at, at + pageSize));
      this.store.listed();
    }
    expect(this.isListWanted).toBe(false);
  }

  apply(object: KubernetesObject): void {
    this.put(object);
    this.store.seen([structuredClone(object)]);
    if (this.isListWanted) this.list();
  }

  delete(namespace: string, name: string): void {
    const object = this.objects.get(`${namespace}/${name}`);
    this.objects.delete(`${namespace}/${name}`);
    if (object !== undefined) this.store.gone(object);
    if (this.isListWanted) this.list();
  }

  get kept(): string[] {
    return [...this.store.lists()].flatMap(([key, list]) => list.map(({ name }) => `${key}/${name}`)).sort();
  }

  /** What the budgets leave, worked out from all objects at once. */
  get expected(): string[] {
    const older = <A extends Age & Use>(all: A[], limits: Use): A[] => {
      const first = firstWithoutRoom(all, limits)?.object;
      return all.filter((object) => first === undefined || byAge(object, first) < 0);
    };
    const objects = Array.from(this.objects.values(), sizedException);
    const ofNamespaces = [...Map.groupBy(objects, ({ namespace }) => namespace).values()];
    const kept = ofNamespaces.flatMap((all) => older(all, this.limits));
    return older(kept, this.limits.total)
      .map(({ namespace, name }) => `${namespace}/${name}`)
      .sort();
  }
}

function sizedException(object: KubernetesObject): Required<Age> & Use {
  const read = PROBE_EXCEPTIONS.read(object as unknown as JsonObject);
  if (read === undefined || read.problems !== undefined) throw new Error('unreadable');
  const { name, created = 0 } = read.fact;
  const { namespace = '' } = object.metadata;
  return { name, namespace, created, objects: 1, bytes: PROBE_EXCEPTIONS.bytes(read.fact) };
}

const good = exception('apps', 'bad') as unknown as { readonly spec: object };
const BAD = { ...good, spec: { ...good.spec, checks: ['no-such-check'] } } as unknown as KubernetesObject;

describe('a store', () => {
  it('follows lists and events, and reports a change only when something else is kept', () => {
    const world = new World();
    world.put(exception('apps', 'a'));
    world.list();
    expect([world.kept, world.changes]).toEqual([['apps/a'], 1]);
    world.apply(exception('apps', 'b'));
    world.apply(exception('apps', 'b'));
    world.list();
    expect([world.kept, world.changes]).toEqual([['apps/a', 'apps/b'], 2]);
    const list = world.store.lists().get('apps');
    world.delete('apps', 'a');
    expect([world.kept, world.changes, list?.length]).toEqual([['apps/b'], 3, 2]);
  });

  it('reports that the first list is complete, even if it is empty', () => {
    const world = new World();
    world.store.listing();
    expect([world.store.isComplete, world.changes]).toEqual([false, 0]);
    world.store.listed();
    expect([world.store.isComplete, world.changes]).toEqual([true, 1]);
  });

  it('keeps what it holds during a list, and drops at the end what was not listed, also after a list that broke off', () => {
    const world = new World();
    for (const name of ['a', 'b', 'c']) world.apply(exception('apps', name));
    world.objects.clear();
    world.put(exception('apps', 'b'));
    world.store.listing();
    world.store.seen([exception('apps', 'd')]);
    world.store.listing();
    world.store.seen([exception('apps', 'b')]);
    expect(world.kept).toEqual(['apps/a', 'apps/b', 'apps/c', 'apps/d']);
    world.store.listed();
    expect(world.kept).toEqual(['apps/b']);
  });

  it('has dropped the objects of a page when the page is read', async () => {
    const world = new World();
    world.store.listing();
    const objects = ((): WeakRef<KubernetesObject>[] => {
      const page = [structuredClone(exception('apps', 'a')), structuredClone(BAD)];
      world.store.seen(page);
      return page.map((object) => new WeakRef(object));
    })();
    world.told.length = 0;
    await setImmediate();
    collectGarbage();
    expect(objects.map((object) => object.deref())).toEqual([undefined, undefined]);
  });
});

type Step = [what: string, namespace: string, name: string, minute: number, size: number];
/** Objects that are applied, each as namespace, name, minute and size. */
const applied = (text: string): Step[] =>
  text.split(', ').map((each) => {
    const [namespace = '', name = '', minute, size] = each.split(' ');
    return ['apply', namespace, name, Number(minute), Number(size)];
  });

/** In these, an older object pushes others of its namespace over the budget of the namespace. */
const FOUND_ONCE: [Step[], Use][] = [
  [applied('n2 a 0 128, n2 b 0 60, n1 c 1 1, n1 b 0 128, n1 a 1 128, n1 d 0 1'), { objects: 5, bytes: 1500 }],
  [applied('n2 b 0 1, n1 b 1 1, n1 c 1 1, n1 d 1 1, n1 e 2 400, n2 c 3 1, n1 a 0 1'), { objects: 9, bytes: 800 }],
  [applied('n3 a 0 60, n1 a 0 60, n3 b 1 128, n1 c 0 128, n3 e 0 1'), { objects: 9, bytes: 1000 }],
];

describe('a store with budgets', () => {
  it('knows that an object with the same contents as before is younger, when it was created again', () => {
    const world = new World({ objects: 1 }, SERVICES);
    const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] };
    const service = (name: string, minute: number): KubernetesObject => {
      const metadata = { name, namespace: 'apps', creationTimestamp: created(minute) };
      return { apiVersion: 'v1', kind: 'Service', metadata, ...{ spec } };
    };
    world.put(service('a', 1));
    world.list();
    world.put(service('a', 5));
    world.put(service('b', 3));
    world.list();
    expect(world.kept).toEqual(['apps/b']);
  });

  it('keeps the oldest exceptions of a namespace, and by a new list the next when there is room again', () => {
    const world = new World({ objects: 2 });
    for (const [name, minute] of Object.entries({ c: 3, a: 9, b: 1, d: 2 })) world.put(exception('apps', name, minute));
    world.put(exception('other', 'z', 99));
    world.list();
    expect([world.kept, world.store.counts().leftOut.objects]).toEqual([['apps/b', 'apps/d', 'other/z'], 2]);
    world.delete('apps', 'b');
    expect([world.kept, world.lists]).toEqual([['apps/c', 'apps/d', 'other/z'], 2]);
    world.delete('apps', 'a');
    expect([world.kept, world.store.counts().leftOut.objects]).toEqual([['apps/c', 'apps/d', 'other/z'], 0]);
    expect(world.over).toMatchObject([
      { namespace: 'apps', count: 2, first: ['c', 'a'], use: { objects: 2 } },
      { namespace: 'apps', count: 0, first: [] },
    ]);
  });

  it('asks for no list when younger objects change, or none of those that are left out would fit', () => {
    const world = new World({ objects: 2 });
    for (const [minute, name] of ['a', 'b', 'c', 'd'].entries()) world.apply(exception('apps', name, minute));
    world.apply(exception('apps', 'd', 3, 50));
    world.apply(exception('apps', 'e', 4));
    world.delete('apps', 'd');
    world.apply(exception('apps', 'a', 0, 50));
    expect([world.kept, world.lists]).toEqual([['apps/a', 'apps/b'], 0]);
  });

  it('counts nothing that is gone when a list ends', () => {
    const world = new World({ objects: 2 });
    for (const [minute, name] of ['b', 'c'].entries()) world.apply(exception('apps', name, minute + 1));
    world.objects.delete('apps/c');
    world.put(exception('apps', 'a', 0));
    world.list();
    expect([world.kept, world.store.counts().leftOut.objects, world.over]).toEqual([['apps/a', 'apps/b'], 0, []]);
  });

  it('tells of each object that is gone when a list ends, also of those that were left out', () => {
    const world = new World({ objects: 2 });
    for (const [minute, name] of ['a', 'b', 'c', 'd'].entries()) world.apply(exception('apps', name, minute));
    world.apply(BAD);
    world.objects.clear();
    world.list();
    expect(world.gone.toSorted()).toEqual(['apps/a', 'apps/b', 'apps/bad', 'apps/c', 'apps/d']);
  });

  it('keeps an exception of exactly as many bytes as its limit, and no larger one', () => {
    const measured = new World();
    measured.apply(exception('apps', 'a', 0, 60));
    const { bytes } = measured.store.useOf('apps');
    for (const [limit, kept] of [
      [bytes, ['apps/a']],
      [bytes - 1, []],
    ] as const) {
      const world = new World({ object: limit });
      world.apply(exception('apps', 'a', 0, 60));
      expect(world.kept).toEqual(kept);
    }
  });

  it('keeps a younger exception once the one that had no room is too large by itself', () => {
    const world = new World({ object: 200, bytes: 330 });
    const sizes = { a: 60, b: 60, c: 1 };
    for (const [minute, [name, size]] of Object.entries(sizes).entries())
      world.apply(exception('apps', name, minute, size));
    expect(world.kept).toEqual(['apps/a']);
    world.apply(exception('apps', 'b', 1, 128));
    expect([world.kept, world.store.counts().leftOut.object]).toEqual([['apps/a', 'apps/c'], 1]);
  });

  it('reports once an exception that cannot be read, and keeps it once it can be', () => {
    const world = new World();
    world.put(BAD);
    world.list();
    world.apply(BAD);
    world.list();
    const problem = expect.stringContaining('spec.checks[0]: unknown check "no-such-check"') as string;
    expect([world.kept, world.store.counts().leftOut.invalid]).toEqual([[], 1]);
    expect(world.unreadable).toEqual([{ namespace: 'apps', name: 'bad', problem }]);
    expect(world.told.at(-1)).toMatchObject({ namespace: 'apps', name: 'bad', reason: 'invalid', problem });
    world.apply(exception('apps', 'bad'));
    expect([world.kept, world.store.counts().leftOut.invalid]).toEqual([['apps/bad'], 0]);
    world.apply(BAD);
    world.delete('apps', 'bad');
    expect([world.kept, world.store.counts().leftOut.invalid, world.unreadable.length]).toEqual([[], 0, 2]);
  });

  it('records and names few of thousands that are left out, and stays small', () => {
    const world = new World({ objects: 10 });
    for (let index = 0; index < 1000; index++) {
      const name = `e${String(index).padStart(4, '0')}`;
      world.put({ ...BAD, metadata: { ...BAD.metadata, name } });
      world.put(exception('over', name, 1000 - index));
    }
    for (let namespace = 0; namespace < 40; namespace++)
      for (let index = 0; index < 200; index++) world.put(exception(`n${namespace}`, `e${index}`));
    world.list(100);
    world.list(100);
    const { invalid, objects } = world.store.counts().leftOut;
    expect([invalid, objects + invalid]).toEqual([256, 4096]);
    expect(world.unreadable).toHaveLength(5);
    expect(world.kept).toHaveLength(10 + 40 * 10);
  });

  it('reports a Service whose selector is too long, and keeps the Service once the selector is shorter', () => {
    const world = new World({}, SERVICES);
    const service = (name: string, labels: number): KubernetesObject => {
      const pairs = Array.from({ length: labels }, (_, index) => [`label-${index}`, 'x'.repeat(63)] as const);
      const spec = { selector: Object.fromEntries(pairs), ports: [{ port: 80 }] };
      return { metadata: { namespace: 'apps', name }, spec } as unknown as KubernetesObject;
    };
    world.put(service('a-web', 20));
    world.put(service('b-hostile', 1000));
    world.list();
    expect([world.kept, world.store.counts().leftOut.object]).toEqual([['apps/a-web'], 1]);
    world.apply(service('b-hostile', 2));
    expect([[...world.store.all()].length, world.store.counts().leftOut.object]).toEqual([2, 0]);
    expect(world.over.map(({ count }) => count)).toEqual([1, 0]);
  });

  it('keeps what the budgets leave of all objects, whatever the order of events', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const namespace = fc.constantFrom('n1', 'n2', 'n3');
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.tuple(fc.constant('apply'), namespace, name, fc.nat(4), fc.constantFrom(1, 60, 128, 400)),
      },
      { weight: 3, arbitrary: fc.tuple(fc.constant('delete'), namespace, name, fc.constant(0), fc.constant(0)) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('list'), namespace, name, fc.constant(0), fc.constant(0)) },
      // A list after changes that no event told: an object is gone, and one is new.
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constant('gap'), namespace, name, fc.nat(4), fc.constantFrom(1, 60, 128, 400)),
      },
    );
    const totals = fc.record({ objects: fc.constantFrom(3, 7, 100), bytes: fc.constantFrom(500, 900, 4000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), totals, (steps, total) => {
        const world = new World({ objects: 4, bytes: 700, total });
        world.list();
        for (const [what, space, each, minute, size] of steps) {
          if (what === 'apply') {
            // The creation time of an object never changes.
            const known = world.objects.get(`${space}/${each}`);
            const made = exception(space, each, minute, size);
            const creationTimestamp = known?.metadata.creationTimestamp ?? created(minute);
            world.apply({ ...made, metadata: { ...made.metadata, creationTimestamp } });
          } else if (what === 'delete') world.delete(space, each);
          else {
            if (what === 'gap') world.objects.delete(`${space}/${each}`);
            if (what === 'gap') world.put(exception(space, 'f', minute, size));
            world.list();
          }
          expect(world.kept).toEqual(world.expected);
          expect(world.kept.length).toBeLessThanOrEqual(total.objects);
          expect(world.store.counts().used).toBeLessThanOrEqual(total.bytes);
        }
        const { leftOut } = world.store.counts();
        expect(world.kept.length + Object.values(leftOut).reduce((sum, count) => sum + count)).toBe(world.objects.size);
      }),
      { numRuns: runs(300), examples: FOUND_ONCE },
    );
  });
});

it('the entries of a store are those of its kind', () => {
  const world = new World();
  world.apply(exception('apps', 'a', 5));
  expect((world.store.find('apps', 'a') as ProbeException).created).toBe(Date.parse(created(5)));
});
