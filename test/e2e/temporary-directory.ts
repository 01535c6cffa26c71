import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftovers } from './leftovers.ts';

/** A directory for one purpose, removed by `remove`, or when this process ends before. */
export async function temporaryDirectory(purpose: string): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `probewright-${purpose}-`));
  leftovers.directory(path);
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true });
      leftovers.directoryRemoved(path);
    },
  };
}
