import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAMESPACE_POLICIES } from '../../../src/engine/policy/policy-budget.ts';
import { projectInto } from '../../../src/cluster/client/projection.ts';
import { MAX_RECORDS } from '../../../src/cluster/sources/namespace-policies.ts';
import { MAX_SPARE_RECORDS } from '../../../src/cluster/sources/policy-grants.ts';
import { PolicyMirror } from '../../../src/cluster/sources/policy-mirror.ts';
import { formatSourceProblem } from '../../../src/cluster/sources/policy-source.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { ReflectorListener } from '../../../src/cluster/client/reflector.ts';
import type { NamespaceOverBudget } from '../../../src/cluster/sources/policy-reports.ts';
import type { SourceProblem } from '../../../src/cluster/sources/policy-source.ts';
import type { StaleStatus } from '../../../src/cluster/sources/policy-status.ts';

/** A mirror, what it told, and the collection that it mirrors. */
class World {
  readonly mirror: PolicyMirror;
  /** The mirror as a reflector sees it. */
  readonly reflected: Pick<ReflectorListener, 'listing' | 'applied' | 'deleted'>;
  readonly objects = new Map<string, KubernetesObject>();
  readonly overBudget: NamespaceOverBudget[] = [];
  readonly failures: string[] = [];
  readonly warnings: string[] = [];
  readonly stale = new Map<string, StaleStatus | undefined>();
  changes = 0;

  constructor(total?: number) {
    const listener = {
      changed: () => this.changes++,
      failed: (problems: readonly { place: string }[]) => this.failures.push(...problems.map(({ place }) => place)),
      warned: (warnings: readonly SourceProblem[]) => this.warnings.push(...warnings.map(formatSourceProblem)),
      overBudget: (change: NamespaceOverBudget) => this.overBudget.push(change),
      status: ({ namespace, name }: { namespace: string | undefined; name: string }, stale: StaleStatus | undefined) =>
        this.stale.set(`${namespace ?? ''}/${name}`, stale),
    };
    this.mirror = new PolicyMirror(CHECK_CATALOGUE, 'ProbePolicy', listener, total);
    this.reflected = projectInto(this.mirror.kindToMirror.project, this.mirror);
  }

  apply(object: KubernetesObject): void {
    this.objects.set(keyOf(object), object);
    this.reflected.applied(object);
  }

  remove(object: KubernetesObject): void {
    this.objects.delete(keyOf(object));
    this.reflected.deleted(object);
  }

  list(pageSize: number): void {
    const all = [...this.objects.values()];
    const listing = this.reflected.listing();
    for (let start = 0; start < all.length; start += pageSize) listing.page(all.slice(start, start + pageSize));
    listing.end();
  }

  /** As ObjectLoader does. */
  load(): number {
    for (let loads = 0; ; loads++) {
      const what = this.mirror.takeIncomplete();
      if (what === undefined) return loads;
      if ('namespace' in what) {
        const listing = this.mirror.namespaceListing(what.namespace);
        listing.page([...this.objects.values()].filter(({ metadata }) => metadata.namespace === what.namespace));
        listing.end();
        continue;
      }
      const object = this.objects.get(`${what.policy.namespace ?? ''}/${what.policy.name}`);
      if (object !== undefined) this.mirror.load(what.policy, object);
    }
  }

  /** The policies in force with their generations. */
  inForce(): string[] {
    return this.mirror
      .policies()
      .map(({ namespace = '', name, containers }) => `${namespace}/${name} ${JSON.stringify(containers).length}`)
      .toSorted();
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** A policy whose spec takes so many bytes. */
function policy(
  name: string,
  bytes: number,
  more: Partial<KubernetesObject['metadata']> = {},
  namespace = 'apps',
): KubernetesObject {
  const paths: string[] = [];
  for (let left = bytes - 49; left > 3; left -= 4003)
    paths.push(`${paths.length % 10}`.padEnd(Math.min(left, 4003) - 3, 'x'));
  const unique = {
    checks: { 'dependency-liveness': { paths: paths.map((path, index) => `${index}${path}`.slice(0, path.length)) } },
  };
  const metadata = {
    name,
    namespace,
    uid: `uid-${name}`,
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...more,
  };
  return { metadata, spec: paths.length === 0 ? {} : unique } as KubernetesObject;
}
const sizeOf = (object: KubernetesObject): number => JSON.stringify((object as { spec?: unknown }).spec).length;
const at = (second: number): Partial<KubernetesObject['metadata']> => ({
  creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000', ''),
});
const generation = (number: number): Partial<KubernetesObject['metadata']> => ({ generation: number });
const LARGE = 60_000;

describe('policies over budget', () => {
  it('are not in force, and their status says why; deleting another brings what then fits into force', () => {
    const world = new World();
    const all = Array.from({ length: 9 }, (_, index) => policy(`p${index}`, LARGE, at(index)));
    for (const each of all) world.apply(each);
    expect(world.inForce()).toHaveLength(8);
    expect(world.stale.get('apps/p8')?.verdict).toMatchObject({
      good: undefined,
      problems: [],
      overBudget: { budget: 'bytes' },
    });
    expect(world.overBudget).toMatchObject([
      {
        namespace: 'apps',
        count: 1,
        first: ['ProbePolicy/apps/p8'],
        use: { policies: 8, bytes: 8 * sizeOf(all[0] as KubernetesObject) },
      },
    ]);
    expect(world.mirror.counts()).toMatchObject({ current: 8, without: 1, overBudget: { bytes: 1 } });
    world.remove(all[3] as KubernetesObject);
    // Nothing is kept of what is over budget.
    expect(world.inForce()).toHaveLength(7);
    expect(world.load()).toBe(1);
    expect(world.inForce()).toHaveLength(8);
    expect(world.stale.get('apps/p8')?.verdict).toMatchObject({ good: { generation: 1 }, overBudget: undefined });
    expect(world.overBudget.at(-1)).toMatchObject({ count: 0, first: [] });
    expect(world.overBudget).toHaveLength(2);
  });

  it('keep their last good version in force as long as that fits', () => {
    const world = new World();
    const others = Array.from({ length: 8 }, (_, index) => policy(`a${index}`, LARGE, at(index)));
    for (const each of others) world.apply(each);
    world.apply(policy('web', 1000, at(20)));
    const before = world.inForce();
    world.apply(policy('web', LARGE, { ...at(20), ...generation(2) }));
    expect(world.inForce()).toEqual(before);
    expect(world.stale.get('apps/web')?.verdict).toMatchObject({
      generation: 2,
      good: { generation: 1 },
      overBudget: { budget: 'bytes' },
    });
    expect(world.mirror.counts()).toMatchObject({ current: 8, lastGood: 1, without: 0 });
  });

  it('keep their last good version until the newest one is loaded, when there is room again', () => {
    const world = new World();
    const others = Array.from({ length: 8 }, (_, index) => policy(`a${index}`, LARGE, at(index)));
    for (const each of others) world.apply(each);
    world.apply(policy('web', 1000, at(20)));
    const isInForce = (): boolean => world.mirror.policies().some(({ name }) => name === 'web');
    world.apply(policy('web', LARGE, { ...at(20), ...generation(2) }));
    world.remove(others[0] as KubernetesObject);
    expect(isInForce()).toBe(true);
    // A third version comes before the second one is loaded, and there is no room for it.
    world.apply(policy('web', 70_000, { ...at(20), ...generation(3) }));
    expect(isInForce()).toBe(true);
    expect(world.stale.get('apps/web')?.verdict).toMatchObject({ generation: 3, good: { generation: 1 } });
    world.apply(policy('web', LARGE, { ...at(20), ...generation(4) }));
    world.load();
    expect(world.stale.get('apps/web')?.verdict).toMatchObject({ good: { generation: 4 }, overBudget: undefined });
  });

  it('keep their last good version over a restart, from the status', () => {
    const world = new World();
    const small = policy('web', 500, at(1));
    const status = { lastGood: { generation: 1, spec: (small as { spec?: unknown }).spec } };
    world.apply({ ...policy('web', 70_000, { ...at(1), ...generation(2) }), status } as KubernetesObject);
    expect(world.inForce()).toHaveLength(1);
    expect(world.stale.get('apps/web')?.verdict).toMatchObject({
      good: { generation: 1 },
      overBudget: { budget: 'spec' },
    });
  });

  it('are the youngest of a namespace, and no namespace loses by another', () => {
    const world = new World();
    for (let index = 0; index < NAMESPACE_POLICIES + 5; index++)
      world.apply(policy(`p${index}`, 2, at(index), 'crowd'));
    world.apply(policy('late', 2, at(9999), 'small'));
    expect(world.inForce()).toHaveLength(NAMESPACE_POLICIES + 1);
    expect(world.inForce()).toContain('small/late 6');
    expect(world.mirror.counts().overBudget).toMatchObject({ policies: 5 });
    expect(world.overBudget.at(-1)).toMatchObject({
      namespace: 'crowd',
      count: 5,
      first: ['p1000', 'p1001', 'p1002', 'p1003', 'p1004'].map((name) => `ProbePolicy/crowd/${name}`),
    });
  });

  it('of all namespaces together are those of the largest', () => {
    const world = new World(500_000);
    for (const namespace of ['a', 'b', 'c'])
      for (let index = 0; index < 3; index++) world.apply(policy(`p${index}`, 30_000, at(index), namespace));
    for (let index = 0; index < 3; index++) world.apply(policy(`p${index}`, 1000, at(index), 'small'));
    expect(world.inForce().filter((each) => each.startsWith('small'))).toHaveLength(3);
    expect(world.inForce().filter((each) => !each.startsWith('small'))).toHaveLength(6);
    expect(world.mirror.counts().memory).toBeLessThanOrEqual(500_000);
    expect(world.stale.get('a/p2')?.verdict.overBudget).toMatchObject({ budget: 'total', total: { bytes: 500_000 } });
  });

  it('have no status beyond the first 1,500 of a namespace, and come into force once others are gone', () => {
    const world = new World();
    const all = Array.from({ length: MAX_RECORDS + 200 }, (_, index) => policy(`p${index}`, 2, at(index)));
    for (const each of all.toReversed()) world.objects.set(keyOf(each), each);
    world.list(100);
    expect(world.inForce()).toHaveLength(NAMESPACE_POLICIES);
    expect(world.mirror.counts().without).toBe(MAX_RECORDS - NAMESPACE_POLICIES);
    for (const each of all.slice(0, 900)) world.remove(each);
    world.load();
    expect(world.inForce()).toHaveLength(MAX_RECORDS + 200 - 900);
    world.list(100);
    expect(world.inForce()).toHaveLength(MAX_RECORDS + 200 - 900);
  });

  it('are the same on a replica that runs for long and on one that has just started', () => {
    const running = new World();
    const tooLarge = (policy('large', 70_000) as { spec?: unknown }).spec;
    for (let index = 0; index < 1700; index++) {
      const small = policy(`p${index}`, 2, at(index));
      const object = index < 500 ? ({ ...small, spec: tooLarge } as KubernetesObject) : small;
      running.objects.set(keyOf(object), object);
    }
    running.list(500);
    running.load();
    for (let index = 600; index < 840; index++) {
      running.remove(policy(`p${index}`, 2, at(index)));
      if (index % 20 === 0) running.load();
    }
    running.load();
    const started = new World();
    for (const object of running.objects.values()) started.objects.set(keyOf(object), object);
    started.list(500);
    started.load();
    expect(started.inForce()).toHaveLength(960);
    expect(running.inForce()).toEqual(started.inForce());
  });

  it('are few in memory, however many namespaces have them, and come into force when there is room', () => {
    const world = new World(1024 * 1024);
    const all: KubernetesObject[] = [];
    for (let namespace = 0; namespace < 30; namespace++)
      for (let index = 0; index < 600; index++) all.push(policy(`p${index}`, 2, at(index), `hostile-${namespace}`));
    const small = [policy('first', 2, at(1), 'small'), policy('second', 2, at(2), 'small')];
    for (const each of [...all, ...small]) world.objects.set(keyOf(each), each);
    world.list(500);
    world.load();
    expect(world.mirror.counts().without).toBeLessThanOrEqual(MAX_SPARE_RECORDS);
    expect(world.inForce().filter((each) => each.startsWith('small'))).toHaveLength(2);
    const started = (): string[] => {
      const other = new World(1024 * 1024);
      for (const [key, object] of [...world.objects].toReversed()) other.objects.set(key, object);
      other.list(700);
      other.load();
      expect(other.mirror.counts()).toEqual(world.mirror.counts());
      return other.inForce();
    };
    expect(started()).toEqual(world.inForce());
    // Only two namespaces remain, and there is room for nearly all that they have.
    for (const each of all.slice(1200)) world.remove(each);
    world.load();
    expect(world.inForce().length).toBeGreaterThan(1000);
    expect(started()).toEqual(world.inForce());
  });

  it('do not lose their turn to a new policy while they have yet to be read again', () => {
    const world = new World();
    const all = Array.from({ length: MAX_RECORDS + 200 }, (_, index) => policy(`p${index}`, 2, at(index)));
    for (const each of all) world.apply(each);
    for (const each of all.slice(0, 600)) world.remove(each);
    world.apply(policy('new', 2, at(3000)));
    const isInForce = (name: string): boolean => world.mirror.policies().some((each) => each.name === name);
    expect(isInForce('new')).toBe(false);
    world.load();
    expect(world.inForce()).toHaveLength(NAMESPACE_POLICIES);
    expect([isInForce('p1599'), isInForce('p1600'), isInForce('new')]).toEqual([true, false, false]);
    for (const each of all) world.remove(each);
    world.load();
    expect(world.inForce()).toEqual(['apps/new 6']);
  });

  it('do not come back when they are deleted while the namespace is read again', () => {
    const world = new World();
    const all = Array.from({ length: MAX_RECORDS + 100 }, (_, index) => policy(`p${index}`, 2, at(index)));
    for (const each of all) world.apply(each);
    let what = world.mirror.takeIncomplete();
    while (what === undefined || 'policy' in what) {
      const [oldest] = world.objects.values();
      if (oldest === undefined) throw new Error('the namespace was not read again');
      world.remove(oldest);
      what = world.mirror.takeIncomplete();
    }
    const listing = world.mirror.namespaceListing(what.namespace);
    const page = [...world.objects.values()];
    for (const each of page) world.remove(each);
    listing.page(page);
    listing.end();
    world.load();
    expect(world.inForce()).toEqual([]);
    expect(page.map((each) => world.stale.get(keyOf(each))).filter((stale) => stale !== undefined)).toEqual([]);
  });
});

describe('a list', () => {
  it('changes nothing before its end, and what was on none of its pages is gone then', () => {
    const world = new World();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => policy(name, 500)) as [
      KubernetesObject,
      KubernetesObject,
      KubernetesObject,
    ];
    world.apply(a);
    world.apply(b);
    const changes = world.changes;
    const before = world.inForce();
    world.reflected.listing().page([c]);
    // Broken off. The next one begins anew.
    const listing = world.reflected.listing();
    listing.page([b]);
    expect([world.inForce(), world.changes]).toEqual([before, changes]);
    listing.end();
    expect(world.mirror.policies().map(({ name }) => name)).toEqual(['b']);
    expect(world.changes).toBe(changes + 1);
  });

  it('of what is known already changes nothing', () => {
    const world = new World();
    for (let index = 0; index < 20; index++) world.apply(policy(`p${index}`, LARGE, at(index)));
    const { changes } = world;
    const told = world.overBudget.length;
    world.list(3);
    expect([world.changes, world.overBudget.length, world.load()]).toEqual([changes, told, 0]);
  });
});

describe('for any collection of policies', () => {
  const object = fc
    .record({
      name: fc.constantFrom(...Array.from({ length: 12 }, (_, index) => `p${index}`)),
      namespace: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.constantFrom(2, 500, 20_000, 55_000, 64_000, 70_000),
      second: fc.integer({ min: 0, max: 3 }),
      isBroken: fc.boolean(),
    })
    .map(({ name, namespace, bytes, second, isBroken }) => {
      const made = policy(name, bytes, at(second), namespace);
      return isBroken && bytes < 1000 ? ({ ...made, spec: { port: 0 } } as KubernetesObject) : made;
    });
  const objects = fc.uniqueArray(object, { selector: keyOf, maxLength: 36 });
  const total = fc.constantFrom(Infinity, 200_000, 800_000, 2_000_000);

  it('the order of events does not matter, nor whether policies were listed or came one by one', () => {
    fc.assert(
      fc.property(
        objects.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all)),
        ),
        total,
        fc.integer({ min: 1, max: 10 }),
        ([all, shuffled, doomed], budget, pageSize) => {
          const [listed, watched] = [new World(budget), new World(budget)];
          for (const each of all) if (!doomed.includes(each)) listed.objects.set(keyOf(each), each);
          listed.list(pageSize);
          for (const each of shuffled) watched.apply(each);
          for (const each of doomed) watched.remove(each);
          for (const world of [listed, watched]) world.load();
          expect(watched.inForce()).toEqual(listed.inForce());
          expect(watched.mirror.counts()).toEqual(listed.mirror.counts());
          watched.list(pageSize);
          expect(watched.inForce()).toEqual(listed.inForce());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('what is in force is within the budgets after every event', () => {
    fc.assert(
      fc.property(fc.array(object, { maxLength: 60 }), total, (events, budget) => {
        const world = new World(budget);
        for (const [index, each] of events.entries()) {
          world.apply({ ...each, metadata: { ...each.metadata, generation: index + 1 } });
          expect(world.mirror.counts().memory).toBeLessThanOrEqual(budget);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a policy with warnings', () => {
  const withSpec = (spec: object, more: Partial<KubernetesObject['metadata']> = {}): KubernetesObject =>
    ({ ...policy('web', 2, more), spec }) as KubernetesObject;
  const empty = { probes: { startupProbe: {} } };

  it('is in force, and its warnings are reported once for each version, and stand in the verdict', () => {
    const world = new World();
    world.apply(withSpec(empty));
    const warning = expect.stringMatching(
      /^ProbePolicy\/apps\/web: spec\.probes\.startupProbe: \{\} says nothing/,
    ) as unknown;
    expect([world.inForce().length, world.failures, world.warnings]).toEqual([1, [], [warning]]);
    expect(world.stale.get('apps/web')?.verdict.warnings).toHaveLength(1);
    world.apply(withSpec(empty, { resourceVersion: '2' }));
    world.list(500);
    expect(world.warnings).toHaveLength(1);
    world.apply(withSpec({ ...empty, port: 80 }, generation(2)));
    expect(world.warnings).toHaveLength(2);
    world.apply(withSpec({}, generation(3)));
    expect(world.warnings).toHaveLength(2);
    expect(world.stale.get('apps/web')?.verdict.warnings).toEqual([]);
  });

  it('has none in its verdict while only its last good version is in force', () => {
    const world = new World();
    world.apply(withSpec(empty));
    world.apply(withSpec({ ...empty, port: 70_000 }, generation(2)));
    expect(world.stale.get('apps/web')?.verdict).toMatchObject({ good: { generation: 1 }, warnings: [] });
    expect(world.warnings).toHaveLength(1);
  });
});

describe('a policy with very many problems', () => {
  it('takes little memory: the first are kept, and the status says how many there are', () => {
    const world = new World();
    const spec = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`field${index}`, 1]));
    world.apply({ ...policy('bad', 2), spec } as KubernetesObject);
    const verdict = world.stale.get('apps/bad')?.verdict;
    expect(verdict?.problemCount).toBe(90);
    expect(verdict?.problems.join('').length).toBeLessThanOrEqual(1024);
    expect(world.mirror.problems(3)).toHaveLength(3);
    expect(world.failures.length).toBe(verdict?.problems.length);
  });
});
