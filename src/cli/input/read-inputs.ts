import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { NotUtf8Error, readUtf8File, utf8Text } from '../../base/files/regular-file.ts';
import { findYamlFiles } from '../../base/files/yaml-files.ts';
import { inParallel } from '../../cluster/client/timing.ts';
import { messageOf } from '../../base/text/error-message.ts';
import {
  helmCommand,
  LACKS_DEPENDENCY,
  readChart,
  renderChart,
  type ChartOfProject,
  type ChartValues,
} from './charts.ts';
import { findInputs, linksOf, unreadable, type InputFiles } from './input-files.ts';
import { NO_TEXTS, warningsOf, type ReadTexts } from './inputs.ts';
import { isMeantAsManifest } from './passed-over.ts';
import { buildKustomization, kustomizeCommand, plannedInputs, type FoundInput } from './kustomizations.ts';
import { NoRenderingTool, shellPath } from './rendering-tool.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ManifestText } from './manifest.ts';

/** How manifests are read, by the flags of the command line. */
interface ManifestReading extends ChartValues {
  /** The namespace of the release of a rendered chart. */
  readonly namespace: string;
  readonly exclude: readonly string[];
  readonly 'no-render-charts': boolean;
  readonly 'allow-remote-bases': boolean;
  readonly 'kubernetes-version'?: string | undefined;
  /** The values of charts that the project file lists. */
  readonly charts?: readonly ChartOfProject[] | undefined;
  /** Is called before each file, chart and kustomization. */
  readonly onInput?: (done: number, total: number) => void;
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
  const planned = await plannedInputs(files.inputs, files.directoriesAbove);
  let started = 0;
  const read = await inParallel(planned, MOST_AT_A_TIME, async (input) => {
    reading.onInput?.(started++, planned.length);
    return 'kind' in input ? await readInput(input, reading) : input;
  });
  return joined([files, ...read]);
}

/** Reads the policies of a regular file, or of every YAML and JSON file below a directory. None without a path. */
export async function readPolicyTexts(path: string | undefined): Promise<ReadTexts> {
  if (path === undefined) return NO_TEXTS;
  const problems: FileProblem[] = [];
  const read: Partial<ReadTexts>[] = [{ problems }];
  for (const file of await policyFiles(path, problems)) read.push(await readText(file, () => readUtf8File(file)));
  return joined(read);
}

function joined(all: readonly Partial<ReadTexts>[]): ReadTexts {
  return {
    texts: all.flatMap(({ texts = [] }) => texts),
    problems: all.flatMap(({ problems = [] }) => problems),
    passedOver: all.flatMap(({ passedOver = [] }) => passedOver),
    notes: all.flatMap(({ notes = [] }) => notes),
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    unchecked: all.flatMap(({ unchecked = [] }) => unchecked),
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

function streamOf(name: string, readStdin: () => Promise<string>): FoundInput | undefined {
  if (!isStandardInput(name)) return undefined;
  if (DESCRIPTOR_PATH.test(name) && !STDIN_PATH.test(name))
    return { kind: 'stream', path: name, read: () => readDescriptor(name) };
  return { kind: 'stream', path: name === '-' ? STDIN_NAME : name, read: readStdin };
}

async function readDescriptor(path: string): Promise<string> {
  return (await stat(path)).isFIFO() ? utf8Text(await readFile(path)) : readUtf8File(path);
}

async function readInput(input: FoundInput, reading: ManifestReading): Promise<Partial<ReadTexts>> {
  const { kind, path, isFound = false, read = () => readUtf8File(path) } = input;
  if (kind === 'chart') return await readChartTexts(input, reading);
  if (kind !== 'kustomization') return await readText(path, read, isFound);
  const directory = dirname(path);
  const command = kustomizeCommand(directory);
  const what = { file: path, name: `kustomization ${directory}`, command, remedy: '', isFound };
  return await rendered(what, 'kustomize or kubectl', reading, async () => [
    await buildKustomization(path, reading['allow-remote-bases']),
  ]);
}

async function readChartTexts(
  { path, isFound = false }: FoundInput,
  reading: ManifestReading,
): Promise<Partial<ReadTexts>> {
  const chart = await readChart(path);
  const name = `chart ${chart.name}`;
  if (chart.isLibrary)
    return isFound ? {} : { notes: [{ why: `${name}: a library, which has no manifests of its own` }] };
  const remedy = '; give values with --values FILE or --set KEY=VALUE, or leave the chart out with --exclude DIR';
  const what = { file: chart.file, name, command: helmCommand(chart), remedy, isFound };
  const renderings = valuesOf(path, reading).map((values) =>
    rendered(what, 'helm', reading, () => renderChart(chart, values, reading.namespace, reading['kubernetes-version'])),
  );
  return joined(await Promise.all(renderings));
}

/** The values that a chart is rendered with: each of those of the project file, and then those of the flags. */
function valuesOf(path: string, { values, set, charts = [] }: ManifestReading): readonly ChartValues[] {
  const listed = charts.filter((chart) => resolve(chart.path) === resolve(path));
  const all = (listed.length > 0 ? listed : [{ values: [], set: [] }]).map((chart) => ({
    values: [...chart.values, ...values],
    set: [...chart.set, ...set],
  }));
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

async function readText(file: string, read: () => Promise<string>, isFound = false): Promise<Partial<ReadTexts>> {
  try {
    return { texts: [{ file, text: await read(), isFound }] };
  } catch (error) {
    const isForeign = isFound && error instanceof NotUtf8Error;
    if (isForeign && !isMeantAsManifest(error.ascii)) return { passedOver: [{ file, reason: 'encoding' }] };
    return { problems: [{ ...unreadable(file, error), ...(isForeign && { isFound }) }] };
  }
}

/** A chart or a kustomization, as messages name it. */
interface Rendered {
  readonly file: string;
  readonly name: string;
  /** The command that renders it, and what may help when it fails or prints nothing. */
  readonly command: string;
  readonly remedy: string;
  readonly isFound: boolean;
}

/** @param tools what has to be on the PATH */
async function rendered(
  { file, name, command, remedy, isFound }: Rendered,
  tools: string,
  { 'no-render-charts': isOff }: ManifestReading,
  render: () => Promise<readonly ManifestText[]>,
): Promise<Partial<ReadTexts>> {
  const unrendered = (why: string): Partial<ReadTexts> => ({
    notes: [{ why: `${name}: not rendered, ${why}`, command }],
  });
  if (isOff) return unrendered('as --no-render-charts says');
  const place = { file, line: 1, column: 1 };
  const unchecked = [`${name} cannot be rendered`];
  try {
    const texts = await render();
    const isEmpty = texts.every(({ text }) => text.trim() === '');
    return { texts, unchecked: isEmpty ? [`${name} renders no object${remedy}`] : [] };
  } catch (error) {
    if (error instanceof NoRenderingTool) {
      if (isFound) return unrendered(`because the PATH has no ${tools}; install it, or run it elsewhere`);
      // Who names a chart must not get a green result without it.
      const message = `cannot be rendered: the PATH has no ${tools}; install it, or pipe the output of: ${command}`;
      return { problems: [{ ...place, message }], unchecked };
    }
    const reason = messageOf(error);
    const lacking = LACKS_DEPENDENCY.exec(reason)?.[1];
    if (lacking === undefined)
      return { problems: [{ ...place, message: `cannot be rendered: ${reason}${remedy}`, isFound }], unchecked };
    const message = `${name} is not checked, because it lacks ${lacking}; type: helm dependency build ${shellPath(dirname(file))}`;
    return { warnings: warningsOf([{ ...place, message }]), unchecked: [message] };
  }
}
