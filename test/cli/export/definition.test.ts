import { expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { EXPORT } from '../../../src/cli/export/definition.ts';

it.each<[readonly string[], number]>([
  [[], 1],
  [['--output', 'json'], 1],
  [['--policies', 'a'], 0],
  [['--from-cluster'], 0],
  [['--context', 'prod'], 0],
  [['--kubeconfig', 'file'], 0],
  [['--policies', 'a', '--from-cluster'], 0],
])('an export names files or a cluster: %j is %i problems', (args, count) => {
  const line = parseCommandLine(EXPORT, args, {});
  const problem = 'name policies in files with --policies, or read those of a cluster with --from-cluster';
  expect(line.kind === 'problems' ? line.problems : []).toEqual(Array(count).fill(problem));
});
