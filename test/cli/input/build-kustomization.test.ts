import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { TreeCopy } from '../../../src/base/files/tree-copy.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { buildKustomization } from '../../../src/cli/input/build-kustomization.ts';
import { withTools } from '../tools-on-path.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { writeFiles } from '../../support/write-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);

const BASE = 'base/kustomization.yaml';

describe('a kustomization that is built', () => {
  const PRINTS = `printf '%s ' "$@" "\${GIT_ALLOW_PROTOCOL-any}" | sed 's|[^ ]*/base|COPY/base|'\n`;
  const built = async (tools: Readonly<Record<string, string>>, allowsRemoteBases: boolean) => {
    const restorePath = await withTools(directory, tools);
    const tree = await treeOf(directory);
    const copy = new TreeCopy([tree]);
    return await buildKustomization(join(directory, BASE), [tree], allowsRemoteBases, copy).finally(async () => {
      await copy.remove();
      restorePath();
    });
  };

  it('is built by kustomize or, without it, by kubectl; git may clone nothing unless remote bases are allowed', async () => {
    await write({ [BASE]: '' });
    expect((await built({ kustomize: PRINTS, kubectl: 'echo kubectl' }, false)).text).toBe('build COPY/base none ');
    expect((await built({ kustomize: PRINTS }, true)).text).toBe('build COPY/base any ');
  });

  it('by kubectl has the same arguments, and each object has the place of its file', async () => {
    await write({ [BASE]: '' });
    const { file, text, placeOf } = await built({ kubectl: PRINTS }, false);
    expect([file, text]).toEqual([join(directory, BASE), 'kustomize COPY/base none ']);
    expect(placeOf?.({ line: 7, column: 8 })).toEqual({ file, line: 1, column: 1 });
  });

  it('runs no program where a remote base is not allowed', async () => {
    await write({ [BASE]: 'resources: [github.com/team/app]\n' });
    const ran = join(directory, 'ran');
    const kustomize = `echo yes >> '${ran}'\n`;
    await expect(built({ kustomize }, false)).rejects.toThrow('which kustomize would download');
    await expect(readFile(ran)).rejects.toThrow('ENOENT');
    await built({ kustomize }, true);
    expect(await readFile(ran, 'utf8')).toBe('yes\n');
  });
});
