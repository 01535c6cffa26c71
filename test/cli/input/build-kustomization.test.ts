import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { TreeCopy } from '../../../src/base/files/tree-copy.ts';
import { treeOf } from '../../../src/base/files/tree.ts';
import { buildKustomization } from '../../../src/cli/input/build-kustomization.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';
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

  it('has the places of fields in files that it may read, and else its own', async () => {
    const object = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: NAME\nspec: { hostname: a }\n';
    const outside = await temporaryDirectory();
    await writeFiles(outside, { 'out.yaml': object.replace('NAME', 'out') });
    await write({ [BASE]: '', 'base/in.yaml': object.replace('NAME', 'in') });
    const printed = [join(directory, 'base/in.yaml'), join(outside, 'out.yaml')].map((file) =>
      object
        .replace('NAME', file.slice(file.lastIndexOf('/') + 1, -5))
        .replace(
          'metadata:\n',
          `metadata:\n  annotations:\n    config.kubernetes.io/origin: |\n      path: ${relative(join(directory, 'base'), file)}\n`,
        ),
    );
    const { file, text, placeOf } = await built({ kustomize: `cat << 'END'\n${printed.join('---\n')}END\n` }, false);
    const places = parseYamlDocuments(file, text).documents.map((document) =>
      placeOf?.({ line: 1, column: 1 }, { document, path: ['spec', 'hostname'] }),
    );
    expect(places).toMatchObject([
      { file: join(directory, 'base/in.yaml'), line: 5 },
      { file: join(directory, BASE), line: 1 },
    ]);
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
