import { expect, it } from 'vitest';
import { RecentPolicies } from '../../../src/engine/policy/recent-policies.ts';

const layers = Array.from({ length: 40 }, (_, name) => ({ name }));

function recent(): { of: (...numbers: number[]) => { layers: readonly object[] }; made: () => number } {
  const policies = new RecentPolicies<{ layers: readonly object[] }>();
  let made = 0;
  return {
    of: (...numbers) =>
      policies.ofLayers(
        numbers.map((number) => layers[number] ?? {}),
        (list) => {
          made += 1;
          return { layers: list };
        },
      ),
    made: () => made,
  };
}

it('the same layers in the same order are one policy', () => {
  const { of, made } = recent();
  expect(of(1, 2, 3)).toBe(of(1, 2, 3));
  expect(of()).toBe(of());
  expect(made()).toBe(2);
});

it('other layers, another order and a part of the layers are other policies', () => {
  const { of } = recent();
  const first = of(1, 2, 3);
  for (const other of [of(1, 2, 4), of(3, 2, 1), of(2, 3), of(1, 2), of(0, 1, 2, 3)]) expect(other).not.toBe(first);
  expect(of(1, 2, 3)).toBe(first);
});

it('the oldest policy is forgotten, so that callers cannot fill the memory', () => {
  const { of, made } = recent();
  const all = layers.map((_, index) => of(index));
  expect(made()).toBe(40);
  expect(of(39)).toBe(all[39]);
  expect(of(0)).not.toBe(all[0]);
});
