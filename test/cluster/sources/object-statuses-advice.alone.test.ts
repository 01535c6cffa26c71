import { expect, it, vi } from 'vitest';
import { ObjectStatuses } from '../../../src/cluster/sources/object-statuses.ts';
import { adviceAbout } from '../../../src/engine/verdict/policy-advice.ts';
import { waitUntil } from '../client/wait-until.ts';
import { ClusterWorld } from './cluster-world.ts';
import type * as advice from '../../../src/engine/verdict/policy-advice.ts';

vi.mock('../../../src/engine/verdict/policy-advice.ts', async (original) => {
  const real = await original<typeof advice>();
  return { ...real, adviceAbout: vi.fn(real.adviceAbout) };
});

it('the advice about a policy is found out once for each version, not for each write of its status', async () => {
  const world = await ClusterWorld.start();
  const writer = new ObjectStatuses({ troubled: () => undefined, setAside: () => undefined }, world.surroundings());
  writer.setActive(true);
  const watched = await world.started({ statuses: writer });
  const judged = (): number => watched.judged.filter((name) => name === 'web').length;
  for (const version of [1, 2]) {
    world.put('web', { port: version });
    await waitUntil('the policy has its status', () => world.status('web')?.['observedGeneration'] === version);
    await waitUntil('the write has come back', () => judged() === 2 * version);
    // The writer does one thing after the other.
    world.put(`marker-${version}`, {});
    await waitUntil('all is written', () => world.status(`marker-${version}`) !== undefined);
    const asked = vi.mocked(adviceAbout).mock.calls.filter(([{ source }]) => source === 'ProbePolicy/apps/web');
    expect(asked).toHaveLength(version);
  }
  writer.setActive(false);
  await world.stop();
});
