import { readFile, stat } from 'node:fs/promises';
import { NotUtf8Error, readUtf8File, utf8Text } from '../../base/files/regular-file.ts';
import { findYamlFiles } from '../../base/files/yaml-files.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { readChart, renderChart, unrenderedChart } from './charts.ts';
import { findInputs, linksOf, unreadable, type InputFiles } from './input-files.ts';
import { NO_TEXTS, type ReadTexts } from './inputs.ts';
import { isMeantAsManifest } from './passed-over.ts';
import { buildKustomization, plannedInputs, type PlannedInput, type Stream } from './kustomizations.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ManifestText } from './manifest.ts';

/** How manifests are read, by the flags of the command line. */
interface ManifestReading {
  /** The namespace of the release of a rendered chart. */
  readonly namespace: string;
  readonly exclude: readonly string[];
  readonly 'render-charts': boolean;
  readonly 'allow-remote-bases': boolean;
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
export async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
  reading: ManifestReading,
): Promise<ReadTexts> {
  const files: InputFiles = { inputs: [], problems: [], passedOver: [], directoriesAbove: new Set(), seen: new Set() };
  for (const name of names) {
    const stream = streamOf(name, readStdin);
    if (stream !== undefined) files.inputs.push(stream);
    else await findInputs(name, reading.exclude, files);
  }
  const planned = await plannedInputs(files.inputs, files.directoriesAbove, reading['render-charts']);
  const read = await inParallel(planned, MOST_AT_A_TIME, (input) => readInput(input, reading));
  return joined([files, ...read]);
}

/** Reads the policies of a regular file, or of every YAML and JSON file below a directory. None without a path. */
export async function readPolicyTexts(path: string | undefined): Promise<ReadTexts> {
  if (path === undefined) return NO_TEXTS;
  const problems: FileProblem[] = [];
  const read: ReadTexts[] = [{ ...NO_TEXTS, problems }];
  for (const file of await policyFiles(path, problems)) read.push(await readText(file, () => readUtf8File(file)));
  return joined(read);
}

function joined(all: readonly Partial<ReadTexts>[]): ReadTexts {
  return {
    texts: all.flatMap(({ texts = [] }) => texts),
    problems: all.flatMap(({ problems = [] }) => problems),
    passedOver: all.flatMap(({ passedOver = [] }) => passedOver),
    notes: all.flatMap(({ notes = [] }) => notes),
  };
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

async function readInput(input: PlannedInput, reading: ManifestReading): Promise<ReadTexts> {
  switch (input.kind) {
    case 'stream':
      return await readText(input.path, input.read);
    case 'file':
      return await readText(input.path, () => readUtf8File(input.path), input.isFound);
    case 'note':
      return { ...NO_TEXTS, notes: [input.note] };
    case 'build': {
      const { file, directory } = input.kustomization;
      return await rendering(file, async () => [
        await buildKustomization(file, directory, reading['allow-remote-bases']),
      ]);
    }
    case 'chart': {
      const chart = await readChart(input.path);
      if (chart.isLibrary) return NO_TEXTS;
      if (!reading['render-charts']) return { ...NO_TEXTS, notes: [unrenderedChart(chart)] };
      return await rendering(chart.file, () => renderChart(chart, reading.namespace));
    }
  }
}

async function readText(file: string, read: () => Promise<string>, isFound = false): Promise<ReadTexts> {
  try {
    return { ...NO_TEXTS, texts: [{ file, text: await read(), isFound }] };
  } catch (error) {
    const isForeign = isFound && error instanceof NotUtf8Error;
    if (isForeign && !isMeantAsManifest(error.ascii))
      return { ...NO_TEXTS, passedOver: [{ file, reason: 'encoding' }] };
    return { ...NO_TEXTS, problems: [{ ...unreadable(file, error), ...(isForeign && { isFound }) }] };
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
