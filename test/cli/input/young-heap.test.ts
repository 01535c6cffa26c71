import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MODULE = join(import.meta.dirname, '../../../src/cli/input/young-heap.ts');
/** Keeps some objects of many, as a reader of files does, and prints the largest young heap in MB. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
const { youngHeapBound } = await import(process.argv[1]);
const bound = process.argv[2] === 'bound' ? youngHeapBound() : () => undefined;
let largest = 0;
const kept = [];
for (let file = 0; file < 100; file++) {
  kept.push(Array.from({ length: 20_000 }, (_, index) => ({ index, file })).slice(0, 4_000));
  bound();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  largest = Math.max(largest, young.space_size);
}
console.log(largest / 1e6);
`;

it('the young part of the heap stops growing at some 16 MB, and what V8 chooses is larger', () => {
  const megabytes = (which: string): number => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--max-semi-space-size=64', '--input-type=module', '--eval', SCRIPT, MODULE, which],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    return Number(stdout);
  };
  const [ours, v8s] = [megabytes('bound'), megabytes('free')];
  expect(ours).toBeGreaterThan(0);
  expect(ours / v8s).toBeLessThan(0.75);
});
