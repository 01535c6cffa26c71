import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import type { Tree } from '../../base/files/tree.ts';
import { patchesIn, placesOfBuilt, type KustomizePatch } from './built-places.ts';
import { builtWithOrigins } from './kustomize-origins.ts';
import { isInOneOf, KUSTOMIZATION_FILES, localParts } from './remote-bases.ts';
import { outputOfFirst } from './rendering-tool.ts';
import { leftOut, renderedTexts, type Rendered, type Rendering } from './rendering.ts';
import { kustomizeCommand, type FoundInput } from './kustomizations.ts';
import type { TreeCopy } from '../../base/files/tree-copy.ts';
import type { ManifestText } from './manifest.ts';
import type { ReadTexts } from './manifests.ts';

/** The manifests of a kustomization, or why there are none. */
export async function kustomizationTexts(
  { path: file, isFound = false }: Pick<FoundInput, 'path' | 'isFound'>,
  tree: Tree,
  { flags, trees, copy }: Rendering,
): Promise<Partial<ReadTexts>> {
  const directory = dirname(file);
  const rendered: Rendered = {
    kind: 'kustomization',
    file,
    name: `kustomization ${directory}`,
    command: kustomizeCommand(directory),
    remedy: '',
    tools: 'kustomize or kubectl',
    isFound,
  };
  if (flags['no-render-charts']) return leftOut(rendered, 'by a flag');
  return await buildKustomization(file, [tree, ...trees], flags['allow-remote-bases'], copy).then(
    (text) => renderedTexts(rendered, [text]),
    (error: unknown) => leftOut(rendered, { error }),
  );
}

/**
 * Builds a kustomization with the `kustomize` or the `kubectl` of the PATH. Objects without an origin have the place of
 * its file. Git clones nothing unless remote bases are allowed, also where kustomize finds a repository that
 * `localParts` does not find.
 *
 * @param trees those of all that is named. That of the kustomization is the first
 * @throws NoRenderingTool when neither is there
 * @throws Error with the reason of the program, or with the base that is not allowed
 */
export async function buildKustomization(
  file: string,
  trees: readonly [Tree, ...Tree[]],
  allowsRemoteBases: boolean,
  copy: TreeCopy,
): Promise<ManifestText> {
  const environment = allowsRemoteBases ? {} : { GIT_ALLOW_PROTOCOL: 'none' };
  const parts = await localParts(dirname(file), trees, allowsRemoteBases);
  const build = async (path: string): Promise<string> =>
    await outputOfFirst(
      [
        ['kustomize', ['build', path]],
        ['kubectl', ['kustomize', path]],
      ],
      undefined,
      environment,
    );
  const { text, origins } = await builtWithOrigins(file, parts, copy, build);
  const directory = dirname(file);
  const patches = (await Promise.all(parts.map((part) => patchesOf(part, isAbsolute(file))))).toReversed().flat();
  const bases = origins.flatMap((origin) => (origin === undefined ? [] : [join(directory, origin)]));
  const files = [...new Set([...bases, ...patches.map((patch) => patch.file)])];
  const inside = await Promise.all(files.map(async (each) => ((await isInOneOf(trees, each)) ? [each] : [])));
  const placeOf = placesOfBuilt({ file, directory, origins, patches, readable: new Set(inside.flat()) });
  return {
    file,
    text,
    placeOf: (_, field) => (field === undefined ? { file, line: 1, column: 1 } : placeOf(field.document, field.path)),
  };
}

async function patchesOf(part: string, isAbsolutePath: boolean): Promise<readonly KustomizePatch[]> {
  const directory = isAbsolutePath ? resolve(part) : relative('', part) || '.';
  const files = KUSTOMIZATION_FILES.map((name) => join(directory, name));
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readUtf8File(file).catch(() => '') })),
  );
  return texts.flatMap(({ file, text }) => patchesIn(file, directory, text));
}
