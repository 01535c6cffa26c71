import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, PROGRAM } from '../../scripts/bundle.ts';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory with the bundle of the container image, `probewright.js`, and with `inside.js` and `first-review.js` of these tests. */
    readonly builtProgram: string;
  }
}

/**
 * Bundles the program once for all files of this suite. Node would compile the sources at each start, and the compiler
 * keeps 60 to 80 MiB that no container has.
 *
 * @returns removes the bundle
 */
export default async function build(project: TestProject): Promise<() => Promise<void>> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'probewright-robustness-built-')));
  const inside = { inside: 'test/robustness/inside.ts', 'first-review': 'test/robustness/first-review-child.ts' };
  await bundle({ ...PROGRAM, ...inside }, directory);
  project.provide('builtProgram', directory);
  return () => rm(directory, { recursive: true, force: true });
}
