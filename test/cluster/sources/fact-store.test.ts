import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { grantFacts } from '../../../src/engine/facts/fact-budget.ts';
import { projectInto } from '../../../src/cluster/client/projection.ts';
import { byAge, fairLevel } from '../../../src/engine/policy/policy-budget.ts';
import { PROBE_EXCEPTIONS } from '../../../src/cluster/sources/exception-kind.ts';
import { asFactKind } from '../../../src/cluster/sources/fact-kind.ts';
import { FactStore } from '../../../src/cluster/sources/fact-store.ts';
import { SERVICES } from '../../../src/cluster/sources/service-kind.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import type { Exceptions } from '../../../src/engine/facts/exceptions.ts';
import type { FactLimits } from '../../../src/engine/facts/fact-budget.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { FactsOverBudget, UnreadableFact } from '../../../src/cluster/sources/fact-reports.ts';

const created = (minute: number): string =>
  new Date(Date.parse('2026-06-01T00:00:00Z') + minute * 60_000).toISOString();

/** An exception whose owner has this many characters. */
function exception(namespace: string, name: string, minute = 0, size = 10): KubernetesObject {
  const document = exceptionDocument({ owner: 'o'.repeat(size) }, { creationTimestamp: created(minute) });
  return { ...document, metadata: { ...(document['metadata'] as object), namespace, name } };
}

/** A cluster with exceptions, and a store that mirrors them. */
class World {
  readonly objects = new Map<string, KubernetesObject>();
  readonly over: FactsOverBudget[] = [];
  readonly unreadable: UnreadableFact[] = [];
  readonly limits: FactLimits;
  readonly store: FactStore;
  changes = 0;
  loads = 0;
  readonly #events: ReturnType<typeof projectInto>;

  constructor(limits: Partial<FactLimits> = {}) {
    this.limits = { ...PROBE_EXCEPTIONS.limits, ...limits };
    this.store = new FactStore(asFactKind({ ...PROBE_EXCEPTIONS, limits: this.limits }), CHECK_CATALOGUE, {
      changed: () => this.changes++,
      overBudget: (change) => this.over.push(change),
      unreadable: (fact) => this.unreadable.push(fact),
    });
    this.#events = projectInto(this.store.kindToMirror.project, this.store);
  }

  list(): void {
    const listing = this.#events.listing();
    const all = [...this.objects.values()].map((object) => structuredClone(object));
    for (let at = 0; at < all.length; at += 3) listing.page(all.slice(at, at + 3));
    listing.end();
    this.load();
  }

  apply(object: KubernetesObject): void {
    this.objects.set(`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object);
    this.#events.applied(structuredClone(object));
    this.load();
  }

  delete(namespace: string, name: string): void {
    const object = this.objects.get(`${namespace}/${name}`);
    this.objects.delete(`${namespace}/${name}`);
    if (object !== undefined) this.#events.deleted(object);
    this.load();
  }

  /** As ObjectLoader does. */
  load(): void {
    for (let what = this.store.takeIncomplete(); what !== undefined; what = this.store.takeIncomplete()) {
      this.loads++;
      const { path, name, listing } = this.store.loading(what);
      const namespace = /namespaces\/([^/]+)\//.exec(path)?.[1];
      const asked = [...this.objects.values()].filter(
        ({ metadata }) => metadata.namespace === namespace && (name ?? metadata.name) === metadata.name,
      );
      listing.page(structuredClone(asked));
      listing.end();
    }
  }

  get kept(): string[] {
    const { byNamespace } = this.store.facts.exceptions as Exceptions;
    return [...byNamespace].flatMap(([key, list]) => list.map(({ name }) => `${key}/${name}`)).sort();
  }

  get leftOut(): string[] {
    return Array.from(this.store.leftOut(), ({ namespace, fact }) => `${namespace}/${fact.name} ${fact.reason}`).sort();
  }

  /** What the budgets leave, worked out from all objects at once. */
  get expected(): string[] {
    const byNamespace = Map.groupBy(this.objects.values(), ({ metadata }) => metadata.namespace ?? '');
    const sized = [...byNamespace].map(([namespace, objects]) => ({
      namespace,
      facts: objects
        .map((object) => {
          const read = PROBE_EXCEPTIONS.read(object as unknown as JsonObject, CHECK_CATALOGUE);
          if (read === undefined || 'problems' in read) throw new Error('unreadable');
          return { name: read.fact.name, created: read.fact.created ?? 0, bytes: PROBE_EXCEPTIONS.bytes(read.fact) };
        })
        .sort(byAge),
    }));
    const grants = (level: number): ReturnType<typeof grantFacts>[] =>
      sized.map(({ facts }) =>
        grantFacts(
          facts.map(({ bytes }) => bytes),
          this.limits,
          level,
        ),
      );
    const level = fairLevel(
      grants(Infinity).map(({ bytes }) => bytes),
      this.limits.total,
    );
    const granted = grants(level);
    return sized
      .flatMap(({ namespace, facts }, at) =>
        facts.flatMap(({ name }, index) =>
          granted[at]?.exceeded[index] === undefined ? [`${namespace}/${name}`] : [],
        ),
      )
      .sort();
  }
}

describe('FactStore with budgets', () => {
  it('honours the oldest exceptions of a namespace, and the next when there is room again', () => {
    const world = new World({ objects: 2 });
    for (const [name, minute] of [
      ['c', 3],
      ['a', 9],
      ['b', 1],
      ['d', 2],
    ] as const)
      world.objects.set(`apps/${name}`, exception('apps', name, minute));
    world.objects.set('other/z', exception('other', 'z', 99));
    world.list();
    expect([world.kept, world.leftOut]).toEqual([
      ['apps/b', 'apps/d', 'other/z'],
      ['apps/a objects', 'apps/c objects'],
    ]);
    world.delete('apps', 'b');
    expect([world.kept, world.leftOut, world.loads]).toEqual([['apps/c', 'apps/d', 'other/z'], ['apps/a objects'], 1]);
    world.delete('apps', 'd');
    world.delete('apps', 'c');
    expect([world.kept, world.leftOut]).toEqual([['apps/a', 'other/z'], []]);
    expect(world.over).toEqual([
      { kind: 'ProbeException', namespace: 'apps', count: 2, first: ['c', 'a'] },
      { kind: 'ProbeException', namespace: 'apps', count: 0, first: [] },
    ]);
  });

  it('keeps a smaller exception where an older one is too large', () => {
    const world = new World({ bytes: 1000 });
    world.apply(exception('apps', 'small', 1));
    world.list();
    world.apply(exception('apps', 'large', 0, 128));
    world.apply(exception('apps', 'young', 2, 128));
    world.apply(exception('apps', 'younger', 3, 128));
    expect([world.kept, world.leftOut]).toEqual([world.expected, ['apps/younger bytes']]);
  });

  it('tells once of an exception that cannot be read, and honours it once it can', () => {
    const world = new World();
    const good = exception('apps', 'bad') as unknown as { readonly spec: object };
    const bad = { ...good, spec: { ...good.spec, checks: ['no-such-check'] } } as unknown as KubernetesObject;
    world.objects.set('apps/bad', bad);
    world.list();
    world.apply(bad);
    world.list();
    expect([world.kept, world.leftOut, world.store.counts().leftOut.invalid]).toEqual([[], ['apps/bad invalid'], 1]);
    expect(world.unreadable).toEqual([
      {
        kind: 'ProbeException',
        namespace: 'apps',
        name: 'bad',
        problem: expect.stringContaining('spec.checks[0]: unknown check "no-such-check"') as string,
      },
    ]);
    world.apply(exception('apps', 'bad'));
    expect([world.kept, world.leftOut]).toEqual([['apps/bad'], []]);
    world.apply(bad);
    world.delete('apps', 'bad');
    expect([world.kept, world.leftOut, world.unreadable.length]).toEqual([[], [], 2]);
  });

  it('names few of thousands of exceptions that cannot be read, once, however often they are listed', () => {
    const world = new World();
    const good = exception('apps', 'e') as unknown as { readonly spec: object };
    const bad = { ...good, spec: { ...good.spec, checks: ['no-such-check'] } } as unknown as KubernetesObject;
    for (let index = 0; index < 1000; index++) {
      const name = `e${String(index).padStart(4, '0')}`;
      world.objects.set(`apps/${name}`, { ...bad, metadata: { ...bad.metadata, name } });
    }
    world.list();
    world.list();
    world.list();
    expect(world.unreadable.map(({ name }) => name)).toEqual(['e0000', 'e0001', 'e0002', 'e0003', 'e0004']);
    expect([world.kept, world.store.counts().leftOut.invalid]).toEqual([[], 256]);
    world.apply({ ...bad, metadata: { ...bad.metadata, name: 'a-new-one' } });
    expect(world.unreadable.map(({ name }) => name).slice(5)).toEqual(['a-new-one']);
  });

  it('records few of thousands of exceptions over budget, and reads the namespace again when they are gone', () => {
    const world = new World({ objects: 10 });
    const name = (index: number): string => `e${String(index).padStart(4, '0')}`;
    for (let index = 0; index < 1000; index++)
      world.objects.set(`apps/${name(index)}`, exception('apps', name(index), 1000 - index));
    world.list();
    expect([world.kept, world.leftOut.length]).toEqual([world.expected, 256]);
    for (let index = 999; index > 400; index--) world.delete('apps', name(index));
    expect([world.kept, world.leftOut.length <= 256]).toEqual([world.expected, true]);
    for (let index = 400; index >= 0; index--) world.delete('apps', name(index));
    expect([world.kept, world.leftOut, world.store.size]).toEqual([[], [], 0]);
  });

  it('forgets what a new list does not bring, also of what is left out', () => {
    const world = new World({ objects: 1 });
    for (const [index, name] of ['a', 'b', 'c'].entries())
      world.objects.set(`apps/${name}`, exception('apps', name, index));
    world.list();
    world.objects.delete('apps/b');
    world.objects.delete('apps/a');
    world.list();
    expect([world.kept, world.leftOut]).toEqual([['apps/c'], []]);
  });

  it('keeps what the budgets leave of all objects, whatever the order of events', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const namespace = fc.constantFrom('n1', 'n2', 'n3');
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constant('apply'), namespace, name, fc.nat(4), fc.constantFrom(1, 60, 128)) },
      { weight: 3, arbitrary: fc.tuple(fc.constant('delete'), namespace, name, fc.constant(0), fc.constant(0)) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('list'), namespace, name, fc.constant(0), fc.constant(0)) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(900, 1500, 4000), (steps, total) => {
        const world = new World({ objects: 4, bytes: 1000, total });
        world.list();
        for (const [what, space, each, minute, size] of steps) {
          if (what === 'apply') world.apply(exception(space, each, minute, size));
          else if (what === 'delete') world.delete(space, each);
          else world.list();
          expect(world.kept).toEqual(world.expected);
        }
        expect(world.kept.length + world.leftOut.length).toBe(world.objects.size);
      }),
    );
  });
});

describe('FactStore of Services', () => {
  const service = (name: string, labels: number): KubernetesObject => {
    const pairs = Array.from({ length: labels }, (_, index) => [`label-${index}`, 'x'.repeat(63)] as const);
    return {
      metadata: { namespace: 'apps', name },
      spec: { selector: Object.fromEntries(pairs), ports: [{ port: 80 }] },
    } as unknown as KubernetesObject;
  };

  it('tells of a Service whose selector is too long, and keeps the Service once the selector is shorter', () => {
    const over: FactsOverBudget[] = [];
    const store = new FactStore(asFactKind(SERVICES), CHECK_CATALOGUE, {
      changed: () => undefined,
      overBudget: (change) => over.push(change),
    });
    const events = projectInto(store.kindToMirror.project, store);
    const listing = events.listing();
    listing.page([service('a-web', 20), service('b-hostile', 1000)]);
    listing.end();
    const counts = store.counts();
    expect([store.size, counts.leftOut]).toEqual([1, { object: 1, objects: 0, bytes: 0, total: 0, invalid: 0 }]);
    expect(over).toEqual([{ kind: 'Service', namespace: 'apps', count: 1, first: ['b-hostile'] }]);
    events.applied(service('b-hostile', 2));
    expect([store.size, store.counts().leftOut.object]).toEqual([2, 0]);
    expect(over.slice(1)).toEqual([{ kind: 'Service', namespace: 'apps', count: 0, first: [] }]);
  });
});
