import { join, resolve } from 'node:path';
import { KustomizationGraph } from './kustomization-graph.ts';
import { KUSTOMIZATION_FILES, readKustomization, unbuiltKustomization } from './kustomizations.ts';
import type { FoundInput } from './input-files.ts';
import type { InputNote } from './input-note.ts';
import type { Kustomization } from './kustomizations.ts';

/** A pipe, which is read where the shell has opened it. */
export interface Stream {
  readonly kind: 'stream';
  readonly path: string;
  readonly read: () => Promise<string>;
}

/** An input, and the way to read it. */
export type PlannedInput =
  | Stream
  | { readonly kind: 'file' | 'chart'; readonly path: string }
  | { readonly kind: 'build'; readonly kustomization: Kustomization }
  | { readonly kind: 'note'; readonly note: InputNote };

/**
 * Plans how inputs are read, in their order. A file that a kustomization uses as a patch is no manifest and is left
 * out. With `renders`, the files of a kustomization are left out too, because the kustomization is built instead.
 *
 * @param directoriesAbove directories whose kustomizations may use named files
 */
export async function plannedInputs(
  inputs: readonly (Stream | FoundInput)[],
  directoriesAbove: ReadonlySet<string>,
  renders: boolean,
): Promise<readonly PlannedInput[]> {
  const own = new Map<string, Kustomization>();
  for (const { kind, path } of inputs) {
    const kustomization = kind === 'kustomization' ? await kustomizationIn(path) : undefined;
    if (kustomization !== undefined) own.set(path, kustomization);
  }
  const above = await kustomizationsIn(directoriesAbove);
  const graph = new KustomizationGraph([...own.values()]);
  const roots = new Set(graph.roots());
  const built = renders ? graph.partsOf([...roots]) : new Set<string>();
  const patches = new Set([...own.values()].flatMap(({ otherFiles }) => [...otherFiles]));

  return inputs.flatMap((input): PlannedInput[] => {
    if (input.kind === 'stream' || input.kind === 'chart') return [input as PlannedInput];
    const { path } = input;
    const kustomization = own.get(path);
    if (kustomization !== undefined) {
      if (!roots.has(kustomization)) return [];
      return [renders ? { kind: 'build', kustomization } : { kind: 'note', note: filesAlone(kustomization) }];
    }
    const absolute = resolve(path);
    if (patches.has(absolute) || built.has(absolute)) return [];
    const user = above.find(({ otherFiles }) => otherFiles.has(absolute));
    return [user === undefined ? { kind: 'file', path } : { kind: 'note', note: patchAlone(user, path) }];
  });
}

function filesAlone(kustomization: Kustomization): InputNote {
  return unbuiltKustomization(kustomization, 'not built, so its files are checked without its patches');
}

function patchAlone(kustomization: Kustomization, path: string): InputNote {
  return unbuiltKustomization(kustomization, `not built, so its part ${path} is skipped`);
}

/** Undefined for a file that cannot be read. It is then read as a manifest, which reports the problem. */
async function kustomizationIn(path: string): Promise<Kustomization | undefined> {
  return await readKustomization(path).catch(() => undefined);
}

async function kustomizationsIn(directories: ReadonlySet<string>): Promise<readonly Kustomization[]> {
  const paths = [...directories].flatMap((directory) => KUSTOMIZATION_FILES.map((name) => join(directory, name)));
  const read = await Promise.all(paths.map(kustomizationIn));
  return read.filter((each) => each !== undefined);
}
