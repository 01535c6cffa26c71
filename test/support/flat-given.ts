import type { NamedInputs, Live } from '../../src/cli/input/live.ts';
import type { Manifests } from '../../src/cli/input/manifests.ts';
import type { World } from '../../src/cli/input/world.ts';

/** What a command line names, in one object that stands for its manifests, its world, and its cluster. */
export type FlatGiven = Manifests &
  World &
  Partial<Pick<Live, 'webhook' | 'reports' | 'objects'>> &
  Pick<NamedInputs, 'live'>;

export function flatGiven({ manifests, world, live }: NamedInputs): FlatGiven {
  return { ...live, ...world, ...manifests, ...(live && { live }) };
}
