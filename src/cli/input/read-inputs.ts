import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { NotUtf8Error, readUtf8File, utf8Text } from '../../base/files/regular-file.ts';
import { findYamlFiles } from '../../base/files/yaml-files.ts';
import { inParallel } from '../../cluster/client/rate-limit.ts';
import { loadWorkloadKinds } from '../../cluster/sources/workload-kinds.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { KNOWN_KINDS } from '../../engine/workload/kinds.ts';
import { readChart, renderChart, unrenderedChart } from './charts.ts';
import { Exclusions, InputFiles, linksOf, unreadable } from './input-files.ts';
import { inputsOf, NO_TEXTS, type Inputs, type OnRead, type ReadTexts } from './inputs.ts';
import { isMeantAsManifest } from './passed-over.ts';
import { buildKustomization, plannedInputs, refuseRemoteParts } from './kustomizations.ts';
import type { FoundInput, PlannedInput, Stream } from './kustomizations.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ManifestText } from './manifest.ts';

interface ManifestSelection {
  /** The namespace of objects that name no namespace, and of the release of a rendered chart. */
  readonly namespace: string;
  readonly exclude: readonly string[];
  readonly renderCharts: boolean;
  readonly allowRemoteBases: boolean;
}

/** The command line's inputs. Each new kind of input has a member here and a step in `readInputs`. */
interface InputOptions extends ManifestSelection {
  readonly files: readonly string[];
  /** A file or a directory with policies. Undefined = policies among the manifests only. */
  readonly policies: string | undefined;
  /** A file or a directory with policies that are to be applied over the others. */
  readonly newPolicies?: string | undefined;
  readonly workloadKinds: string | undefined;
  readonly now: number;
}

/**
 * Reads the inputs of a command that looks at manifests.
 *
 * @throws PolicyFilesError when the file of custom kinds cannot be used
 */
export async function readInputs(
  { files, policies, newPolicies, workloadKinds, ...selection }: InputOptions,
  readStdin: () => Promise<string>,
  onRead?: OnRead,
): Promise<Inputs> {
  const kinds = workloadKinds === undefined ? KNOWN_KINDS : await loadWorkloadKinds(workloadKinds);
  const manifestTexts = await readManifestTexts(files, readStdin, selection);
  const policyTexts = policies === undefined ? NO_TEXTS : await readPolicyTexts(policies);
  const newPolicyTexts = newPolicies === undefined ? NO_TEXTS : await readPolicyTexts(newPolicies);
  const { namespace, now } = selection;
  const settings = { kinds, namespace, now, onRead, fileIdentity: resolve };
  return inputsOf(manifestTexts, policyTexts, settings, newPolicyTexts);
}

export const STDIN_NAME = '<stdin>';
const STDIN_PATH = /^\/dev\/(?:stdin|fd\/0)$/;
/** Pipes that a shell passes for `<(helm template .)`. */
const DESCRIPTOR_PATH = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

const MOST_AT_A_TIME = 4;

/** True for a name of standard input, and of a pipe that a shell passes: there is no file to write to. */
export function isStandardInput(name: string): boolean {
  return name === '-' || STDIN_PATH.test(name) || DESCRIPTOR_PATH.test(name);
}

/**
 * Reads the manifests that arguments name: a file, every YAML and JSON file below a directory, or `-` for standard
 * input. A directory with a Helm chart or a kustomization is one input: rendered, or noted. A FIFO that is named is
 * refused, as opening it could wait without end.
 */
async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
  selection: ManifestSelection,
): Promise<ReadTexts> {
  const files = new InputFiles(new Exclusions(selection.exclude));
  const inputs: (Stream | FoundInput)[] = [];
  for (const name of names) {
    const stream = streamOf(name, readStdin);
    if (stream !== undefined) inputs.push(stream);
    else for (const input of await files.find(name)) inputs.push(input);
  }
  const planned = await plannedInputs(inputs, files.directoriesAbove, selection.renderCharts);
  const read = await inParallel(planned, MOST_AT_A_TIME, (input) => readInput(input, selection));
  return {
    texts: read.flatMap(({ texts }) => texts),
    problems: [...files.problems, ...read.flatMap(({ problems }) => problems)],
    passedOver: [...files.passedOver, ...read.flatMap(({ passedOver = [] }) => passedOver)],
    notes: read.flatMap(({ notes = [] }) => notes),
  };
}

/** Reads the policies of a regular file, or of every YAML and JSON file below a directory. */
export async function readPolicyTexts(path: string): Promise<ReadTexts> {
  const unlisted: FileProblem[] = [];
  const read: ReadTexts[] = [];
  for (const file of await policyFiles(path, unlisted)) read.push(await readText(file, () => readUtf8File(file)));
  const problems = [...unlisted, ...read.flatMap((each) => each.problems)];
  return { texts: read.flatMap(({ texts }) => texts), problems };
}

async function policyFiles(path: string, problems: FileProblem[]): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    return (await findYamlFiles(path, { links: linksOf(path, problems) })).map((file) => file.path);
  } catch (error) {
    problems.push(unreadable(path, error));
    return [];
  }
}

function streamOf(name: string, readStdin: () => Promise<string>): Stream | undefined {
  if (name === '-') return { kind: 'stream', path: STDIN_NAME, read: readStdin };
  if (STDIN_PATH.test(name)) return { kind: 'stream', path: name, read: readStdin };
  return DESCRIPTOR_PATH.test(name) ? { kind: 'stream', path: name, read: () => readDescriptor(name) } : undefined;
}

async function readDescriptor(path: string): Promise<string> {
  return (await stat(path)).isFIFO() ? utf8Text(await readFile(path)) : readUtf8File(path);
}

async function readInput(input: PlannedInput, selection: ManifestSelection): Promise<ReadTexts> {
  const { renderCharts, allowRemoteBases, namespace } = selection;
  switch (input.kind) {
    case 'stream':
      return await readText(input.path, input.read);
    case 'file':
      return await readText(input.path, () => readUtf8File(input.path), input.isFound);
    case 'note':
      return { ...NO_TEXTS, notes: [input.note] };
    case 'build': {
      const { kustomization } = input;
      return await rendering(kustomization.file, async () => {
        if (!allowRemoteBases) await refuseRemoteParts(kustomization.directory);
        return [await buildKustomization(kustomization, allowRemoteBases)];
      });
    }
    case 'chart': {
      const chart = await readChart(input.path);
      if (chart.isLibrary) return NO_TEXTS;
      if (!renderCharts) return { ...NO_TEXTS, notes: [unrenderedChart(chart)] };
      return await rendering(chart.file, () => renderChart(chart, namespace));
    }
  }
}

async function readText(file: string, read: () => Promise<string>, isFound = false): Promise<ReadTexts> {
  try {
    return { ...NO_TEXTS, texts: [{ file, text: await read(), ...(isFound && { isFound }) }] };
  } catch (error) {
    const problem = unreadable(file, error);
    if (!isFound || !(error instanceof NotUtf8Error)) return { ...NO_TEXTS, problems: [problem] };
    if (isMeantAsManifest(error.ascii)) return { ...NO_TEXTS, problems: [{ ...problem, isFound }] };
    return { ...NO_TEXTS, passedOver: [{ file, reason: 'encoding' }] };
  }
}

async function rendering(file: string, render: () => Promise<readonly ManifestText[]>): Promise<ReadTexts> {
  try {
    return { ...NO_TEXTS, texts: await render() };
  } catch (error) {
    const message = `cannot be rendered: ${messageOf(error)}`;
    return { ...NO_TEXTS, problems: [{ file, line: 1, column: 1, message }] };
  }
}
