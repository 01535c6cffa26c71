import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { DirectorySource } from '../../../src/cluster/sources/directory-source.ts';
import { formatSourceProblem } from '../../../src/cluster/sources/policy-source.ts';
import { waitUntil } from '../client/wait-until.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'probewright-policies-'));
});
afterEach(() => rm(directory, { recursive: true }));

it.each([
  ['of a directory', ''],
  ['that is named itself', 'apps.yaml'],
])(
  'a file %s that goes bad is told of by file, line and column, once, and what was in force stays',
  async (_, named) => {
    const file = join(directory, 'apps.yaml');
    const write = async (spec: string): Promise<void> => {
      const head = 'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\n';
      await writeFile(join(directory, '.new'), `${head}spec: ${spec}\n`);
      await rename(join(directory, '.new'), file);
    };
    await write('{}');
    const source = new DirectorySource(CHECK_CATALOGUE, join(directory, named), () => 7000, 5);
    const told: string[] = [];
    const changed: number[] = [];
    const first = await source.start({
      changed: ({ policies }) => changed.push(policies.length),
      failed: (problems) => told.push(...problems.map(formatSourceProblem)),
    });
    await write('{ port: 70000 }');
    const line = `${file}:4:9: spec.port: must be at most 65535, not 70000`;
    await waitUntil('it is told', () => told.length > 0);
    expect(source.status().problems).toEqual([line]);
    await write('{ port: 80 }');
    await waitUntil('it is mended', () => changed.length > 0);
    source.stop();
    expect([first.policies.length, told, changed, source.status().problems]).toEqual([1, [line], [1], []]);
  },
);

it('a file that memory has no room for is told of in one line, and what was in force stays', async () => {
  const policy = 'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\nspec: {}\n';
  await writeFile(join(directory, 'good.yaml'), policy);
  const source = new DirectorySource(CHECK_CATALOGUE, directory, () => 7000, 5);
  const told: string[] = [];
  const changed: number[] = [];
  await source.start({
    changed: ({ policies }) => changed.push(policies.length),
    failed: (problems) => told.push(...problems.map(formatSourceProblem)),
  });
  const file = join(directory, 'large.yaml');
  await writeFile(join(directory, '.new'), ']'.repeat(310_000));
  await rename(join(directory, '.new'), file);
  await waitUntil('it is told', () => told.length > 0);
  source.stop();
  expect(told).toEqual([expect.stringMatching(/large\.yaml:1:\d+: this document has more than 300000 tokens/)]);
  expect([source.status().problems, changed]).toEqual([told, []]);
});

it('a link to nowhere is told of, as a policy may be lost with it', async () => {
  await symlink('nowhere.yaml', join(directory, 'apps.yaml'));
  const source = new DirectorySource(CHECK_CATALOGUE, directory, () => 7000, 5);
  await expect(source.start({ changed: () => undefined, failed: () => undefined })).rejects.toThrow(
    /cannot be read: .*ENOENT.*apps\.yaml/,
  );
});

it('warnings of policies are reported at the start and with each change, and keep no policy out of force', async () => {
  const file = join(directory, 'apps.yaml');
  const write = async (period: number): Promise<void> => {
    const head = 'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\n';
    const probes = `{ startupProbe: {}, livenessProbe: { periodSeconds: ${period} } }`;
    await writeFile(join(directory, '.new'), `${head}spec: { probes: ${probes} }\n`);
    await rename(join(directory, '.new'), file);
  };
  await write(3);
  const source = new DirectorySource(CHECK_CATALOGUE, directory, () => 7000, 5);
  const warnings: string[] = [];
  const failures: unknown[] = [];
  const first = await source.start({
    changed: () => undefined,
    failed: (problems) => failures.push(...problems),
    warned: (some) => warnings.push(...some.map(formatSourceProblem)),
  });
  const warning = expect.stringMatching(
    /apps\.yaml:4:19: spec\.probes\.startupProbe: \{\} says nothing about the probe/,
  ) as unknown;
  expect([first.policies.length, warnings]).toEqual([1, [warning]]);
  await write(4);
  await waitUntil('the change is reported', () => warnings.length > 1);
  source.stop();
  expect([warnings, failures]).toEqual([[warning, warning], []]);
});
