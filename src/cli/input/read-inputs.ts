import { access } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { refuseNamedLink } from '../../base/files/tree.ts';
import { TreeCopy } from '../../base/files/tree-copy.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { printLine, UsageError, type CommandIo } from '../io.ts';
import { Progress, reportProblems } from '../output/messages.ts';
import { kustomizationTexts } from './build-kustomization.ts';
import { ChartsOfTrees } from './chart-dependencies.ts';
import { findInputs, noInputFiles, readNamedText, readPolicyTexts } from './input-files.ts';
import { plannedInputs } from './kustomizations.ts';
import { joined, parsedTexts, type Parsing, type ReadTexts } from './manifests.ts';
import { workloadsIn } from './manifest.ts';
import { projectReport, unreadLines } from './passed-over.ts';
import { chartTexts } from './render-chart.ts';
import { streamOf } from './standard-input.ts';
import { unaskedSelectors } from './unasked-selectors.ts';
import { worldOf } from './world.ts';
import { youngHeapBound } from './young-heap.ts';
import type { ParsedCommandLine } from '../flags/flag.ts';
import type { CLUSTER_INPUT_FLAGS } from './input-flags.ts';
import type { NamedInputs } from './live.ts';
import type { RenderingFlags } from './rendering.ts';

/**
 * The inputs in files.
 *
 * @param newPolicies a file or a directory of policies that are to be applied over the others
 * @param readsAll also reads objects of kinds that no rule concerns
 * @throws PolicyFilesError when the command has nothing to decide by
 */
export async function readCommandInputs(
  command: string,
  { flags, positionals, project }: ParsedCommandLine<Omit<typeof CLUSTER_INPUT_FLAGS, 'tier'>>,
  io: CommandIo,
  progress = new Progress(io),
  newPolicies?: string,
  readsAll = false,
): Promise<NamedInputs> {
  const { namespace = 'default', now = io.now() } = flags;
  const kinds = await loadWorkloadKinds(flags['workload-kinds']);
  for (const file of flags.values)
    await refuseNamedLink(file)
      .then(() => access(file))
      .catch((error: unknown) => {
        throw new UsageError(`--values: ${file} cannot be read: ${messageOf(error)}`);
      });
  const parsing = { kinds, skipsOtherKinds: !readsAll };
  const reading = readManifestTexts(positionals, io.readStdin, {
    flags: { ...flags, namespace, project },
    parsing,
    onInput: (done, total, workloads) => {
      progress.show('reading', done, total, 'inputs', workloads);
    },
  });
  const read = await progress.during(reading);
  progress.end();
  const texts = { ...read, ...(project && { project: projectReport(project, read) }) };
  for (const text of unreadLines(texts, command, flags.verbose)) printLine(io.stderr, text);
  const [policies, added] = [await readPolicyTexts(flags.policies), await readPolicyTexts(newPolicies)];
  const kubernetesVersion = flags['kubernetes-version'];
  const settings = { ...parsing, namespace, now, kubernetesVersion };
  const given = worldOf(texts, policies, { ...settings, fileIdentity: resolve }, added);
  reportProblems(unaskedSelectors(workloadsIn(given.manifests, given.world), given.world), io);
  return given;
}

/** How manifests are read. */
interface ManifestReading {
  readonly flags: RenderingFlags & { readonly exclude: readonly string[] };
  /** Texts are parsed while programs render others. Undefined: they are not parsed. */
  readonly parsing?: Parsing | undefined;
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
  const boundYoungHeap = youngHeapBound();
  // Texts are parsed here while programs run, so there is one more of them than there are cores.
  const atATime = Math.min(MOST_AT_A_TIME, availableParallelism() + 1);
  const read = await inParallel(planned, atATime, async (input) => {
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
      boundYoungHeap();
      ofOwn = found;
      tell(found);
    };
    const texts = parsing === undefined ? own.texts : parsedTexts(own.texts, { ...parsing, onRead });
    done += 1;
    workloads += ofOwn;
    tell();
    return { ...own, texts };
  }).finally(() => rendering.copy.remove());
  const all = joined([files, ...read]);
  const passedOver = read.flatMap(({ texts }) =>
    texts.flatMap((text) => ('passedOver' in text && text.passedOver) || []),
  );
  return { ...all, passedOver: [...(all.passedOver ?? []), ...passedOver] };
}
