import { expect, it } from 'vitest';
import { byPod, recording } from './recordings.ts';

it.each([
  ['b1', 102, 0],
  ['g1', 68, 0],
  ['g2gate', 12, 0],
  ['kr1', 40, 0],
  ['m3', 46, 0],
  ['same', 5, 0],
  ['obs2', 0, 9],
] as const)(
  'reads batch %s: %i cases, %i Deployments, and each Pod in all three streams',
  (batch, cases, deployments) => {
    const one = recording(batch);

    expect(one.cases).toHaveLength(cases);
    expect(one.deployments).toHaveLength(deployments);
    const pods = [...byPod(one.pods).keys()].sort();
    expect([...byPod(one.truth).keys()].sort()).toEqual(pods);
    expect([...byPod(one.events).keys()].sort()).toEqual(expect.arrayContaining(pods));
    expect(one.restart === undefined).toBe(batch !== 'kr1' && batch !== 'obs2');
    expect(one.truth.every(({ t }, at) => at === 0 || t >= (one.truth[at - 1]?.t ?? 0))).toBe(true);
  },
);
