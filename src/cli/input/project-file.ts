import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { directoriesAbove, refuseNamedLink, refuseOutside, treeOf } from '../../base/files/tree.ts';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { quote } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { PolicyFilesError, type FileProblem } from '../../cluster/sources/policy-source.ts';
import { isDnsLabel } from '../../engine/policy/object-names.ts';
import { readObject } from '../../engine/policy/read-field.ts';
import { formatProblem, Reader, type Problem } from '../../engine/policy/reader.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { LEVELS } from '../../engine/verdict/levels.ts';
import { isChart, type ProjectInForce, type ProjectSettings } from './charts.ts';
import { unreadable } from './input-files.ts';
import { KUBERNETES_VERSION } from './input-flags.ts';
import type { Bound } from '../../engine/policy/bound.ts';
import type { Field, ObjectField } from '../../engine/policy/field.ts';

export const PROJECT_FILE = '.probewright.yaml';

const LENGTH: Bound = { maximum: 4096, unit: 'characters', at: 'of the project file' };
const COUNT: Bound = { maximum: 1000, unit: 'elements', at: 'of the project file' };
const MANY = { type: 'strings', count: COUNT, length: LENGTH } as const;

const CHART: Field = {
  type: 'object',
  text: 'A chart with values. A chart may be listed several times, and is checked with each of the values.',
  fields: {
    path: {
      type: 'text',
      bound: LENGTH,
      shortest: 1,
      text: 'The directory with Chart.yaml.',
      required: 'must name the directory with Chart.yaml',
    },
    values: { ...MANY, text: 'Files with values, as for helm. A later file wins, and so does --values.' },
    set: { ...MANY, text: 'Values over those of the files: KEY=VALUE.' },
  },
};

const CHECK_IDS = Object.keys(CHECK_CATALOGUE);
const checks = (text: string): Field => ({
  type: 'list',
  count: COUNT,
  items: {
    type: 'text',
    bound: LENGTH,
    problem: (id) =>
      CHECK_IDS.includes(id) ? undefined : `there is no check ${quote(id)}${didYouMean(id, CHECK_IDS)}`,
    text: 'The id of a check.',
    also: { enum: CHECK_IDS },
  },
  text,
});

/** The fields of a project file. The reader and the schema for editors follow from them. */
export const PROJECT_FIELDS: ObjectField = {
  type: 'object',
  text: 'Settings of probewright for the manifests of a repository. Flags win. Paths are relative to this file.',
  fields: {
    policies: { type: 'text', bound: LENGTH, shortest: 1, text: 'A file or directory with policies, as --policies.' },
    namespace: {
      type: 'text',
      longest: 63,
      problem: (name) => (isDnsLabel(name) ? undefined : `${quote(name)} is no name of a namespace`),
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      text: 'The namespace of objects that name no namespace, as --namespace.',
    },
    exclude: { ...MANY, text: 'Globs of files and directories to leave out. Those of --exclude are left out, too.' },
    charts: { type: 'list', count: COUNT, items: CHART, text: 'Values for charts among the inputs.' },
    minLevel: { type: 'choice', choices: LEVELS, text: 'The lowest level of findings, as --min-level.' },
    only: checks('The checks whose findings are selected, as --only. Without it, those of all checks.'),
    skip: checks('The checks whose findings are left out, as --skip.'),
    kubernetesVersion: {
      type: 'text',
      longest: 12,
      problem: (text) => (KUBERNETES_VERSION.test(text) ? undefined : `${quote(text)} is no version such as 1.33`),
      pattern: KUBERNETES_VERSION.source,
      text: 'The Kubernetes version of the cluster, in quotes, as --kubernetes-version.',
    },
  },
};

interface ProjectFields {
  readonly policies?: string;
  readonly namespace?: string;
  readonly exclude?: ReadonlySet<string>;
  readonly charts?: readonly {
    readonly path: string;
    readonly values?: Iterable<string>;
    readonly set?: Iterable<string>;
  }[];
  readonly minLevel?: string;
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly kubernetesVersion?: string;
}

/** The settings that are in force, by the flags of a command line without the file and with it. */
export function projectInForce(
  project: ProjectSettings,
  without: Readonly<Record<string, unknown>>,
  withFile: Readonly<Record<string, unknown>>,
): ProjectInForce {
  const isSet = (name: string): boolean => JSON.stringify(without[name]) !== JSON.stringify(withFile[name]);
  const flags = [...project.flags].filter(([name]) => name !== 'exclude' && isSet(name));
  const charts = project.charts.filter(({ values, set }) => values.length + set.length > 0);
  return {
    ...project,
    sets: [
      ...flags.map(([name, [text = '']]) => `--${name} ${text}`),
      ...charts.map(({ path, values, set }) => `values of ${path} (${[...values, ...set].join(', ')})`),
    ],
  };
}

/**
 * Reads a project file: a given one, or that of the working directory or the nearest above, up to the root of the
 * repository. Undefined without a file.
 *
 * @param policiesFlag the flag that the policies are for
 * @param given a file that is named. Its paths are relative to the working directory, as it may be a copy from another
 *   branch
 * @throws PolicyFilesError with all problems of the file
 */
export async function readProjectFile(
  policiesFlag: 'policies' | 'from',
  given?: string,
): Promise<ProjectSettings | undefined> {
  const path = given ?? projectFileAbove(resolve());
  if (path === undefined) return undefined;
  const file = given ?? relative('', path);
  const directory = given === undefined ? dirname(path) : resolve();
  const problems: FileProblem[] = [];
  const text = await textOf(path, given !== undefined).catch((error: unknown) => {
    problems.push(unreadable(file, error));
    return '';
  });
  const read = await fieldsIn(text, file, directory, problems);
  if (problems.length > 0)
    throw new PolicyFilesError(
      `${file} has problems, so nothing is read; --no-project-file leaves the file out`,
      problems,
    );
  return settingsOf(file, read, directory, policiesFlag);
}

/** Above a directory that is in no repository, files may be somebody else's. */
function projectFileAbove(start: string): string | undefined {
  let nearest: string | undefined;
  for (const directory of [start, ...directoriesAbove(start)]) {
    const path = join(directory, PROJECT_FILE);
    if (nearest === undefined && existsSync(path)) nearest = path;
    if (directory === start && nearest !== undefined) return nearest;
    if (existsSync(join(directory, '.git'))) return nearest;
  }
  return undefined;
}

async function fieldsIn(
  text: string,
  file: string,
  directory: string,
  problems: FileProblem[],
): Promise<ProjectFields> {
  const parsed = parseYamlDocuments(file, text);
  problems.push(...parsed.problems);
  const [document, second] = parsed.documents;
  if (second !== undefined) problems.push({ file, ...second.position([]), message: 'a second document' });
  if (document === undefined || document.value === null || problems.length > 0) return {};
  const found: Problem[] = [];
  const fields = (readObject(PROJECT_FIELDS, new Reader(document.value, [], found)) ?? {}) as ProjectFields;
  const both = fields.skip?.find((id) => fields.only?.includes(id) === true);
  if (both !== undefined) found.push({ path: ['skip'], message: `only names ${both}, too` });
  if (found.length === 0) found.push(...(await missingFiles(fields, directory)));
  for (const problem of found)
    problems.push({ file, ...document.position(problem.path, { key: true }), message: formatProblem(problem) });
  return fields;
}

async function textOf(path: string, isNamed: boolean): Promise<string> {
  await (isNamed ? refuseNamedLink(path) : refuseOutside(path, await treeOf(dirname(path))));
  return await readUtf8File(path);
}

/** The files that cannot be read, and those out of the tree: a stranger may have written the project file. */
async function missingFiles({ policies, charts = [] }: ProjectFields, directory: string): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  const tree = await treeOf(directory);
  const check = async (name: string, path: Problem['path']): Promise<void> => {
    const file = resolve(directory, name);
    await Promise.all([refuseOutside(file, tree), access(file)]).catch((error: unknown) => {
      problems.push({ path, message: `${quote(name)} cannot be read: ${messageOf(error)}` });
    });
  };
  if (policies !== undefined) await check(policies, ['policies']);
  for (const [index, { path, values = [], set = [] }] of charts.entries()) {
    const place = ['charts', index];
    if (!isChart(resolve(directory, path)))
      problems.push({ path: [...place, 'path'], message: `${quote(path)} has no Chart.yaml` });
    for (const [at, name] of [...values].entries()) await check(name, [...place, 'values', at]);
    for (const [at, text] of [...set].entries())
      if (!/^[^=]+=/.test(text))
        problems.push({ path: [...place, 'set', at], message: `${quote(text)} is no KEY=VALUE` });
  }
  return problems;
}

function settingsOf(file: string, fields: ProjectFields, directory: string, policiesFlag: string): ProjectSettings {
  const { policies, namespace, exclude = [], charts = [], minLevel, only = [], skip = [], kubernetesVersion } = fields;
  const path = (name: string): string => relative('', resolve(directory, name)) || '.';
  // A glob with a slash would else start at the working directory.
  const start = directory.replaceAll(/[\\*?[\]{}()!+@]/g, String.raw`\$&`);
  const globs = [...exclude].map((glob) => (glob.includes('/') ? join(start, glob) : glob));
  const listed = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);
  return {
    file,
    exclude: [...exclude],
    flags: new Map([
      [policiesFlag, listed(policies).map(path)],
      ['namespace', listed(namespace)],
      ['exclude', globs],
      ['min-level', listed(minLevel)],
      ['only', only.length === 0 ? [] : [only.join()]],
      ['skip', skip.length === 0 ? [] : [skip.join()]],
      ['kubernetes-version', listed(kubernetesVersion)],
    ]),
    charts: charts.map((chart) => ({
      path: path(chart.path),
      values: [...(chart.values ?? [])].map(path),
      set: [...(chart.set ?? [])],
    })),
  };
}
