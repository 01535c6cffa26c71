import { execFile } from 'node:child_process';
import { cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from './temporary-directory.ts';

const root = join(import.meta.dirname, '../..');

/** What the bundle is made from: when one of these is newer, it is made anew. */
const sources = ['src', 'scripts/build.ts', 'scripts/bundle.ts', 'package-lock.json'];

/** The program as the container image has it. */
export interface ProductionBundle {
  /** Path of the script to run. */
  readonly program: string;
  remove(): Promise<void>;
}

/**
 * Builds the bundle when there is none or it is older than its sources, and gives a copy of it: a build that somebody
 * starts during the tests would take chunks away under a replica, and a copy finds none of the checkout's modules.
 */
export async function productionBundle(): Promise<ProductionBundle> {
  const built = await stat(join(root, 'dist/probewright.js')).catch(() => undefined);
  if (built === undefined || built.mtimeMs < (await newestChange())) {
    await promisify(execFile)('npm', ['run', 'build'], { cwd: root });
  }
  const directory = await temporaryDirectory('bundle');
  await cp(join(root, 'dist'), join(directory.path, 'dist'), { recursive: true });
  return { program: join(directory.path, 'dist/probewright.js'), remove: directory.remove };
}

async function newestChange(): Promise<number> {
  let newest = 0;
  for (const source of sources) {
    const path = join(root, source);
    newest = Math.max(newest, (await stat(path)).mtimeMs);
    if (!(await stat(path)).isDirectory()) continue;
    for (const entry of await readdir(path, { recursive: true })) {
      newest = Math.max(newest, (await stat(join(path, entry))).mtimeMs);
    }
  }
  return newest;
}
