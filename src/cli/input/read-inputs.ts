import { availableParallelism } from 'node:os';
import { TreeCopy } from '../../base/files/tree-copy.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { kustomizationTexts } from './build-kustomization.ts';
import { ChartsOfTrees } from './chart-dependencies.ts';
import { findInputs, noInputFiles, readNamedText } from './input-files.ts';
import { plannedInputs } from './kustomizations.ts';
import { joined, parsedTexts, type Parsing, type ReadTexts } from './manifests.ts';
import { chartTexts } from './render-chart.ts';
import { streamOf } from './standard-input.ts';
import type { RenderingFlags } from './rendering.ts';

/** How manifests are read. */
interface ManifestReading {
  readonly flags: RenderingFlags & { readonly exclude: readonly string[] };
  /** Texts are parsed while programs render others. */
  readonly parsing: Parsing;
  /** Is called now and then. */
  readonly onInput?: (done: number, total: number, workloads: number) => void;
}

/** What programs print is kept within bounds, so more of them would only wait. */
const MOST_AT_A_TIME = 16;

/**
 * Reads the manifests that arguments name: a file, every YAML and JSON file below a directory, or `-` for standard
 * input. A directory with a Helm chart or a kustomization is one input: rendered, or noted. A FIFO that is named is
 * refused, as opening it could wait without end.
 */
export async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
  { flags, parsing, onInput }: ManifestReading,
): Promise<ReadTexts> {
  const files = noInputFiles();
  for (const name of names) {
    const stream = streamOf(name, readStdin);
    if (stream !== undefined) files.inputs.push(stream);
    else await findInputs(name, flags.exclude, files, flags.project?.flags.get('exclude'));
  }
  const planned = await plannedInputs(files.inputs, files.directoriesAbove);
  const rendering = { flags, trees: files.trees, copy: new TreeCopy(files.trees), charts: new ChartsOfTrees() };
  let [done, workloads] = [0, 0];
  const tell = (found = 0): void => onInput?.(done, planned.length, workloads + found);
  tell();
  // Texts are parsed here while programs run, so there is one more of them than there are cores.
  const atATime = Math.min(MOST_AT_A_TIME, availableParallelism() + 1);
  const read = await inParallel(planned, atATime, async (input): Promise<ReadTexts> => {
    const textsOf = async (): Promise<readonly Partial<ReadTexts>[]> => {
      if (!('kind' in input)) return [input];
      const { kind, path, tree, isFound } = input;
      if (kind === 'chart' && tree !== undefined) return await chartTexts(input, tree, rendering);
      if (kind === 'kustomization' && tree !== undefined) return [await kustomizationTexts(input, tree, rendering)];
      return [await readNamedText(path, input.read, isFound)];
    };
    const own = joined(await textsOf());
    let ofOwn = 0;
    const onRead = (_: number, found: number): void => {
      ofOwn = found;
      tell(found);
    };
    const texts = parsedTexts(own.texts, { ...parsing, onRead });
    done += 1;
    workloads += ofOwn;
    tell();
    return { ...own, texts };
  }).finally(() => rendering.copy.remove());
  return joined([files, ...read]);
}
