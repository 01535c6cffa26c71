import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { localParts } from '../../../src/cli/input/remote-bases.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';

let directory = '';
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

const partsOf = async (of: string): Promise<readonly string[]> =>
  await localParts(of, [await treeOf(directory)], false);
const refusal = (file: string, field: string, entry: string): string =>
  `${join(directory, file)}: ${field} has "${entry}", which kustomize would download; ` +
  'keep a copy in the repository, or add --allow-remote-bases if you trust the address';

describe('the parts of a kustomization that kustomize would download', () => {
  it.each([
    'https://example.test/deploy.yaml',
    'http://example.test/deploy.yaml',
    'https://example.test/team/app//base?ref=v1',
    'ssh://git@example.test/team/app.git',
    'file:///srv/git/app',
    'git@example.test:team/app.git',
    'git::https://example.test/team/app',
    'github.com/team/app//base?ref=v1',
    'GitHub.com/team/app',
    'www.github.com/team/app',
    'github.com:team/app',
    'gh:team/app',
    'deploy@example.test/team/app',
    'example.test/team/app',
    'app?ref=v1',
  ])('are named: %s', async (entry) => {
    for (const field of ['resources', 'bases', 'components', 'generators', 'transformers', 'validators', 'Resources']) {
      await write({ 'kustomization.yaml': `${field}: ["${entry}"]\n` });
      await expect(partsOf(directory)).rejects.toThrow(refusal('kustomization.yaml', field, entry));
    }
  });

  it('are found in bases of bases, in components, and behind links', async () => {
    await write({
      'kustomization.yaml': 'resources: [base]\ncomponents: [debug]\n',
      'base/kustomization.yml': 'bases: [../other]\n',
      'other/Kustomization': 'resources: [deploy.yaml]\n',
      'other/deploy.yaml': 'kind: Deployment\n',
      'debug/kustomization.yaml': 'kind: Component\n',
    });
    await expect(partsOf(directory)).resolves.toBeDefined();
    await write({ 'other/Kustomization': 'resources: [github.com/team/app]\n' });
    await expect(partsOf(directory)).rejects.toThrow(
      refusal('base/../other/Kustomization', 'resources', 'github.com/team/app').replace('base/../', ''),
    );
    await write({ 'base/kustomization.yml': '', 'debug/kustomization.yaml': 'resources: [link]\n' });
    await symlink(join(directory, 'other'), join(directory, 'debug/link'));
    await expect(partsOf(directory)).rejects.toThrow('github.com/team/app');
  });

  it.each([
    ['patches: [{ path: "https://example.test/p.yaml" }]', 'patches'],
    ['patchesStrategicMerge: ["https://example.test/p.yaml"]', 'patchesStrategicMerge'],
    ['crds: ["https://example.test/p.yaml"]', 'crds'],
    ['openapi: { path: "https://example.test/p.yaml" }', 'openapi'],
    ['configMapGenerator: [{ name: a, files: ["p=https://example.test/p.yaml"] }]', 'configMapGenerator'],
    ['secretGenerator: [{ name: a, envs: ["https://example.test/p.yaml"] }]', 'secretGenerator'],
    ['replacements: [{ path: "https://example.test/p.yaml" }]', 'replacements'],
    ['generators: ["kind: ConfigMapGenerator\\nfiles: [https://example.test/p.yaml]\\n"]', 'generators'],
  ])('are files of the web, too: %s', async (text, field) => {
    await write({ 'kustomization.yaml': text });
    await expect(partsOf(directory)).rejects.toThrow(`${field} has "`);
  });

  it('are found in the file of a plugin', async () => {
    await write({
      'kustomization.yaml': 'transformers: [patch.yaml]\n',
      'patch.yaml': 'kind: PatchTransformer\npath: https://example.test/p.yaml\n',
    });
    await expect(partsOf(directory)).rejects.toThrow(
      refusal('patch.yaml', 'transformers', 'https://example.test/p.yaml'),
    );
  });

  it('are not what only looks like an address', async () => {
    await write({
      'kustomization.yaml': [
        'resources: [deploy.yaml, ./v1.2/base, ../missing, missing.yaml]',
        'images: [{ name: example.test/app, newName: github.com/team/app }]',
        'commonAnnotations: { docs: "https://example.test", path: "https://example.test" }',
        'configMapGenerator: [{ name: a, literals: ["URL=https://example.test"], files: [a.txt] }]',
        'patches: [{ path: p.yaml }, { patch: "- { op: add, path: /a, value: \'https://example.test\' }" }]',
        '',
      ].join('\n'),
      'deploy.yaml': 'kind: Deployment\n',
      'v1.2/base/kustomization.yaml': 'resources: []\n',
    });
    await expect(partsOf(directory)).resolves.toBeDefined();
  });

  it('cannot be told from a file that cannot be read, so this file is refused', async () => {
    await write({ 'kustomization.yaml': 'resources: [\n' });
    await expect(partsOf(directory)).rejects.toThrow(`${join(directory, 'kustomization.yaml')}:`);
  });

  it('are not read from a file that is a link out of the tree', async () => {
    const outside = await temporaryDirectory();
    await writeFiles(outside, { 'kustomization.yaml': 'resources: []\n' });
    const file = join(directory, 'kustomization.yaml');
    await symlink(join(outside, 'kustomization.yaml'), file);
    await expect(partsOf(directory)).rejects.toThrow(`${file} leads out of ${directory}`);
  });

  it('are not looked for in a directory out of the tree', async () => {
    const outside = await temporaryDirectory();
    await symlink(outside, join(directory, 'base'));
    await write({ 'kustomization.yaml': 'resources: [base]\n' });
    const file = join(directory, 'kustomization.yaml');
    await expect(partsOf(directory)).rejects.toThrow(`${file}: resources has "base", which leads out of ${directory}`);
  });

  it('end when bases contain each other', async () => {
    await write({ 'a/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../a]\n' });
    await expect(partsOf(join(directory, 'a'))).resolves.toBeDefined();
  });
});
