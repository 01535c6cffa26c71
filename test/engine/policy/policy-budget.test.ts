import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SPEC_BYTES } from '../../../src/engine/policy/bounds.ts';
import {
  byAge,
  fairLevel,
  grantNamespace,
  NAMESPACE_BYTES,
  NAMESPACE_POLICIES,
} from '../../../src/engine/policy/policy-budget.ts';
import type { BudgetedPolicy, NamespaceGrants, Sized } from '../../../src/engine/policy/policy-budget.ts';

const sized = (bytes: number | undefined): Sized | undefined =>
  bytes === undefined ? undefined : { bytes, memory: 3 * bytes };
const policy = (created: number, newest: number | undefined, lastGood?: number): BudgetedPolicy => ({
  name: `p${created}`,
  created,
  newest: sized(newest),
  lastGood: sized(lastGood),
});
const versions = ({ grants }: NamespaceGrants): string[] => grants.map(({ version }) => version);
const exceeded = ({ grants }: NamespaceGrants): unknown[] => grants.map((grant) => grant.exceeded);

describe('the budget of a namespace', () => {
  it('has room for 1,000 policies', () => {
    const all = Array.from({ length: NAMESPACE_POLICIES + 2 }, (_, index) => policy(index, 100));
    const granted = grantNamespace(all);
    expect(versions(granted)).toEqual([...Array<string>(NAMESPACE_POLICIES).fill('newest'), 'none', 'none']);
    expect(exceeded(granted).slice(-2)).toEqual(['policies', 'policies']);
    expect(granted.use).toEqual({ policies: 1000, bytes: 100_000, memory: 300_000 });
  });

  it('has room for 512 KiB of specs, of 64 KiB each', () => {
    const granted = grantNamespace(Array.from({ length: 9 }, (_, index) => policy(index, MAX_SPEC_BYTES)));
    expect(versions(granted)).toEqual([...Array<string>(8).fill('newest'), 'none']);
    expect(exceeded(granted).at(-1)).toBe('bytes');
    expect(granted.use.bytes).toBe(NAMESPACE_BYTES);
    expect(exceeded(grantNamespace([policy(1, MAX_SPEC_BYTES + 1)]))).toEqual(['spec']);
  });

  it('gives the last good version what the newest does not get, and a later policy what an earlier one does not', () => {
    const full = Array.from({ length: 8 }, (_, index) => policy(index, MAX_SPEC_BYTES - 100));
    const granted = grantNamespace([...full, policy(8, 900, 700), policy(9, 90), policy(10, 200)]);
    expect(versions(granted).slice(8)).toEqual(['lastGood', 'newest', 'none']);
    expect(exceeded(granted).slice(8)).toEqual(['bytes', undefined, 'bytes']);
  });

  it('counts what cannot be read as a policy, and its last good version with its size', () => {
    const granted = grantNamespace([policy(1, undefined), policy(2, undefined, 500)]);
    expect(versions(granted)).toEqual(['problems', 'lastGood']);
    expect(granted.use).toMatchObject({ policies: 2, bytes: 500 });
    const cut = grantNamespace([policy(1, undefined, 5000)], 4000);
    expect(cut.grants).toEqual([{ version: 'problems', exceeded: 'total' }]);
    expect(grantNamespace([policy(1, undefined)], 10).grants).toEqual([{ version: 'none', exceeded: 'total' }]);
  });
});

const size = fc.oneof(
  fc.constantFrom(2, 1000, MAX_SPEC_BYTES, MAX_SPEC_BYTES + 1, 1_400_000),
  fc.integer({ min: 2, max: MAX_SPEC_BYTES }),
);
const anyPolicy = fc.record({
  name: fc.string({ minLength: 1, maxLength: 8 }),
  created: fc.integer({ min: 0, max: 5 }),
  newest: fc.option(
    size.map((bytes) => ({ bytes, memory: 2 * bytes + 1000 })),
    { nil: undefined },
  ),
  lastGood: fc.option(
    size.map((bytes) => ({ bytes, memory: 2 * bytes + 1000 })),
    { nil: undefined },
  ),
});
const namespace = fc
  .uniqueArray(anyPolicy, { selector: ({ name }) => name, maxLength: 60 })
  .map((policies) => policies.toSorted(byAge));
const cluster = fc.array(namespace, { maxLength: 12 });

/** What each namespace gets, and what it would get if it were alone. */
function granted(
  namespaces: readonly (readonly BudgetedPolicy[])[],
  total: number,
): { alone: NamespaceGrants; together: NamespaceGrants }[] {
  const alone = namespaces.map((policies) => grantNamespace(policies));
  const level = fairLevel(
    alone.map(({ use }) => use.memory),
    total,
  );
  return alone.map((each, index) => ({
    alone: each,
    together: each.use.memory <= level ? each : grantNamespace(namespaces[index] ?? [], level),
  }));
}

const total = fc.integer({ min: 0, max: 3_000_000 });

describe('for any collection of policies', () => {
  it('what is in force is within every budget', () => {
    fc.assert(
      fc.property(cluster, total, (namespaces, budget) => {
        let memory = 0;
        for (const [index, { together }] of granted(namespaces, budget).entries()) {
          const sizes = together.grants.map(({ version }, place) => {
            const { newest, lastGood } = namespaces[index]?.[place] ?? {};
            return { newest: newest?.bytes, lastGood: lastGood?.bytes, problems: 0, none: undefined }[version];
          });
          const taken = sizes.filter((each) => each !== undefined);
          expect(Math.max(0, ...taken)).toBeLessThanOrEqual(MAX_SPEC_BYTES);
          expect(taken.length).toBeLessThanOrEqual(NAMESPACE_POLICIES);
          const bytes = taken.reduce((sum, each) => sum + each, 0);
          expect(bytes).toBeLessThanOrEqual(NAMESPACE_BYTES);
          expect(together.use).toMatchObject({ policies: taken.length, bytes });
          memory += together.use.memory;
          expect(together.use.memory).toBeGreaterThanOrEqual(2 * bytes + 1000 * taken.length);
        }
        expect(memory).toBeLessThanOrEqual(budget);
      }),
    );
  });

  it('a namespace within its share of the total gets what it would get alone, however large the others are', () => {
    fc.assert(
      fc.property(cluster, total, (namespaces, budget) => {
        for (const { alone, together } of granted(namespaces, budget))
          if (alone.use.memory <= budget / namespaces.length) expect(together).toEqual(alone);
      }),
    );
  });

  it('the largest namespaces lose first: no namespace that lost takes less than one that did not', () => {
    fc.assert(
      fc.property(cluster, total, (namespaces, budget) => {
        const all = granted(namespaces, budget).map(({ alone, together }) => ({
          wants: alone.use.memory,
          lost: together !== alone,
        }));
        const smallestLoser = Math.min(...all.filter(({ lost }) => lost).map(({ wants }) => wants));
        for (const { wants, lost } of all) if (!lost) expect(wants).toBeLessThan(smallestLoser);
      }),
    );
  });

  it('a policy loses only when a budget has no room for it, and says which', () => {
    fc.assert(
      fc.property(namespace, (policies) => {
        for (const [index, { version, exceeded: budget }] of grantNamespace(policies).grants.entries()) {
          if (policies[index]?.newest !== undefined) expect(version === 'newest').toBe(budget === undefined);
        }
      }),
    );
  });
});

describe('the level that namespaces are cut to', () => {
  it.each<[weights: number[], total: number, level: number]>([
    [[], 10, Infinity],
    [[1, 2, 3], 6, Infinity],
    [[1, 2, 4], 6, 3],
    [[10, 10], 10, 5],
    [[1, 100, 100], 11, 5],
    [[5], 0, 0],
  ])('is fair: of %j and %d it is %d', (weights, budget, level) => {
    expect(fairLevel(weights, budget)).toBe(level);
  });
});
