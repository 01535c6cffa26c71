import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { DirectorySource } from '../../../src/cluster/sources/directory-source.ts';
import type { PolicySnapshot } from '../../../src/cluster/sources/policy-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { waitUntil } from '../client/wait-until.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

/** Puts a file in its place at once, as kubelets and editors do. */
async function put(name: string, text: string): Promise<void> {
  await writeFile(join(directory, '.new'), text);
  await rename(join(directory, '.new'), join(directory, name));
}
const putPolicy = (spec: string, name = 'apps.yaml'): Promise<void> =>
  put(name, `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\nspec: ${spec}\n`);

/** A source that has started, and what it has told. */
async function started(named = ''): Promise<{
  source: DirectorySource;
  first: PolicySnapshot;
  told: string[];
  changed: number[];
  warnings: string[];
}> {
  const source = new DirectorySource(join(directory, named), () => 7000, { atRest: 5, changing: 5 });
  const [told, changed, warnings]: [string[], number[], string[]] = [[], [], []];
  const first = await source.start({
    changed: ({ policies }) => changed.push(policies.length),
    failed: (problems) => told.push(...problems),
    warned: (some) => warnings.push(...some),
  });
  return { source, first, told, changed, warnings };
}

it.each([
  ['of a directory', ''],
  ['that is named itself', 'apps.yaml'],
])(
  'a file %s that goes bad is told of by file, line and column, once, and what was in force stays',
  async (_, named) => {
    await putPolicy('{}');
    const { source, first, told, changed } = await started(named);
    await putPolicy('{ port: 70000 }');
    const line = `${join(directory, 'apps.yaml')}:4:9: spec.port: must be at most 65535, not 70000`;
    await waitUntil('it is told', () => told.length > 0);
    expect(source.status().problems).toEqual([line]);
    await putPolicy('{ port: 80 }');
    await waitUntil('it is mended', () => changed.length > 0);
    source.stop();
    expect([first.policies.length, told, changed, source.status().problems]).toEqual([1, [line], [1], []]);
  },
);

it('a file that memory has no room for is told of in one line, and what was in force stays', async () => {
  await putPolicy('{}', 'good.yaml');
  const { source, told, changed } = await started();
  await put('large.yaml', ']'.repeat(310_000));
  await waitUntil('it is told', () => told.length > 0);
  source.stop();
  expect(told).toEqual([expect.stringMatching(/large\.yaml:1:\d+: this document has more than 300000 tokens/)]);
  expect([source.status().problems, changed]).toEqual([told, []]);
});

it('a link to nowhere is told of, as a policy may be lost with it', async () => {
  await symlink('nowhere.yaml', join(directory, 'apps.yaml'));
  await expect(started()).rejects.toThrow(/cannot be read: .*ENOENT.*apps\.yaml/);
});

it('warnings of policies are reported at the start and with each change, and keep no policy out of force', async () => {
  const write = (period: number): Promise<void> =>
    putPolicy(`{ probes: { startupProbe: {}, livenessProbe: { periodSeconds: ${period} } } }`);
  await write(3);
  const { source, first, told, warnings } = await started();
  const warning = expect.stringMatching(
    /apps\.yaml:4:19: spec\.probes\.startupProbe: \{\} says nothing about the probe/,
  ) as unknown;
  expect([first.policies.length, warnings]).toEqual([1, [warning]]);
  await write(4);
  await waitUntil('the change is reported', () => warnings.length > 1);
  source.stop();
  expect([warnings, told]).toEqual([[warning, warning], []]);
});

it('a directory that is gone is reported once, and what was in force is read again when the directory is back', async () => {
  await putPolicy('{}');
  const { source, told, changed } = await started();
  const away = `${directory}.away`;
  await rename(directory, away);
  await waitUntil('it is reported', () => told.length > 0);
  const line = expect.stringMatching(/^\/.*:1:1: cannot be read: .*ENOENT/) as string;
  expect([source.status().problems, changed]).toEqual([[line], []]);
  await rename(away, directory);
  await waitUntil('it is read again', () => changed.length > 0);
  source.stop();
  expect([told, changed, source.status()]).toEqual([
    [line],
    [1],
    { description: `directory ${directory}`, problems: [], lastSync: 7000 },
  ]);
});

it('nothing is read or reported after a stop', async () => {
  await putPolicy('{}');
  const { source, told, changed } = await started();
  source.stop();
  await rm(directory, { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([told, changed, source.status().problems]).toEqual([[], [], []]);
});
