import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import {
  CLUSTER_FLAGS,
  CLUSTER_INPUT_FILES,
  CLUSTER_INPUT_FLAGS,
  INPUT_FILES,
  INPUT_FLAGS,
} from '../../../src/cli/input/input-flags.ts';
import type { Flags, Positionals } from '../../../src/cli/flags/flag.ts';

function problemsOf(flags: Flags, positionals: Positionals, line: string): readonly string[] {
  const command = { name: 'run', summary: '', usage: '', description: [], flags, positionals, exitCodes: {} };
  const parsed = parseCommandLine(command, line.split(' ').filter(Boolean), {});
  return parsed.kind === 'problems' ? parsed.problems : [];
}
const ofFiles = (line: string): readonly string[] => problemsOf(INPUT_FLAGS, INPUT_FILES, line);
const ofCluster = (line: string): readonly string[] =>
  problemsOf({ ...CLUSTER_INPUT_FLAGS, ...CLUSTER_FLAGS }, CLUSTER_INPUT_FILES, line);

describe('the flags of manifests', () => {
  it.each([
    '-',
    'a b c',
    '- --kubernetes-version 1.33',
    '- --kubernetes-version v1.33.12',
    '- --set a=b --set a.b= --set x==',
    '- --values a.yaml --values b.yaml --exclude a --exclude b',
    '- -n shop --now 2027-01-31T00:00:00Z --verbose --no-project-file --no-render-charts --allow-remote-bases',
  ])('may be %s', (line) => expect(ofFiles(line)).toEqual([]));

  it.each([
    ['', 'FILE: name at least one file or directory, or - for standard input'],
    ['- --kubernetes-version 2.0', '--kubernetes-version: must be a version such as 1.33, not "2.0"'],
    ['- --kubernetes-version 1.33.x', '--kubernetes-version: must be a version such as 1.33, not "1.33.x"'],
    ['- --kubernetes-version 1', '--kubernetes-version: must be a version such as 1.33, not "1"'],
    ['- --set a', '--set: must be KEY=VALUE, not "a"'],
    ['- --set =b', '--set: must be KEY=VALUE, not "=b"'],
  ])('may not be %j', (line, problem) => expect(ofFiles(line)).toEqual([problem]));
});

describe('the flags of manifests or a cluster', () => {
  it.each(['a', '--cluster', '--context c', '--kubeconfig k', '-A', '-n shop', '-A deploy'])('may be %s', (line) =>
    expect(ofCluster(line)).toEqual([]),
  );

  it('name what may stand for a file', () => {
    expect(ofCluster('--verbose')).toEqual([
      'FILE: name at least one file or directory, or - for standard input; or -A, -n NAMESPACE or --cluster for a cluster',
    ]);
  });
});
