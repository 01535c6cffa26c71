import { basename } from 'node:path';
import { BaseSequencer, type TestSequencerConstructor } from 'vitest/node';

/**
 * An order of test files for workers that run side by side: these files first, in this order. After `npm ci`, vitest knows no durations
 * and starts the largest file first. A small file of long tests would then start last, and all other workers would wait for it.
 *
 * @param names names of test files without their suffixes, the longest test first
 */
export function longestFirst(names: readonly string[]): TestSequencerConstructor {
  const rank = (path: string): number => {
    const index = names.indexOf(basename(path).replace(/\..*/, ''));
    return index === -1 ? names.length : index;
  };
  return class extends BaseSequencer {
    override async sort(...args: Parameters<BaseSequencer['sort']>): ReturnType<BaseSequencer['sort']> {
      const files = await super.sort(...args);
      return files.toSorted((a, b) => rank(a.moduleId) - rank(b.moduleId));
    }
  };
}
