import { basename, dirname, join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { outputOf, shellPath } from './rendering-tool.ts';
import { quote } from '../../base/text/cut.ts';
import type { ManifestText } from './manifest.ts';

/** Something that a command line leads to: a file, a directory with a chart, or the file of a kustomization. */
export interface FoundInput {
  readonly kind: 'file' | 'chart' | 'kustomization';
  readonly path: string;
  /** True for a file below a directory, which nobody named. */
  readonly isFound?: boolean;
}

export interface Stream {
  readonly kind: 'stream';
  readonly path: string;
  readonly read: () => Promise<string>;
}

export type PlannedInput =
  | Stream
  | (FoundInput & { readonly kind: 'file' | 'chart' })
  | { readonly kind: 'build'; readonly kustomization: Kustomization }
  | { readonly kind: 'note'; readonly note: string };

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
  const all = [...own.values()];
  const candidates = [...directoriesAbove].flatMap((directory) =>
    KUSTOMIZATION_FILES.map((name) => kustomizationIn(join(directory, name))),
  );
  const above = (await Promise.all(candidates)).filter((each) => each !== undefined);
  const roots = rootsOf(all);
  const built = new Set(renders ? reachedFrom(roots, all).flatMap(({ resources }) => [...resources]) : []);
  const patches = new Set(all.flatMap(({ otherFiles }) => [...otherFiles]));

  return inputs.flatMap((input): PlannedInput[] => {
    if (input.kind === 'stream' || input.kind === 'chart') return [input as PlannedInput];
    const { path } = input;
    const kustomization = own.get(path);
    if (kustomization !== undefined) {
      if (!roots.includes(kustomization)) return [];
      if (renders) return [{ kind: 'build', kustomization }];
      return [unbuilt(kustomization, 'not built, so its files are checked without its patches')];
    }
    const absolute = resolve(path);
    if (patches.has(absolute) || built.has(absolute)) return [];
    const user = above.find(({ otherFiles }) => otherFiles.has(absolute));
    return [
      user === undefined ? { ...input, kind: 'file' } : unbuilt(user, `not built, so its part ${path} is skipped`),
    ];
  });
}

/** @param state what happens instead of the build */
function unbuilt({ directory }: Kustomization, state: string): PlannedInput {
  return { kind: 'note', note: `kustomization ${directory}: ${state}; kubectl kustomize ${shellPath(directory)}` };
}

/** The kustomizations that no other one contains: what people apply. */
function rootsOf(all: readonly Kustomization[]): readonly Kustomization[] {
  const contained = new Set(all.flatMap(({ resources }) => [...resources]));
  const roots = all.filter(({ directory, isComponent }) => !isComponent && !contained.has(resolve(directory)));
  const reached = reachedFrom([...roots, ...all.filter(({ isComponent }) => isComponent)], all);
  // Kustomizations that contain each other have no root. kustomize reports the cycle.
  const cyclic = all.find((each) => !reached.includes(each));
  return cyclic === undefined ? roots : [...roots, cyclic];
}

/** These kustomizations, and those that they contain, also through others. */
function reachedFrom(roots: readonly Kustomization[], all: readonly Kustomization[]): readonly Kustomization[] {
  const byDirectory = new Map(all.map((each) => [resolve(each.directory), each]));
  const reached = new Set(roots);
  // The loop also visits what is added to the set meanwhile.
  for (const { resources } of reached)
    for (const path of resources) {
      const next = byDirectory.get(path);
      if (next !== undefined) reached.add(next);
    }
  return [...reached];
}

const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The fields of a kustomization that name manifests and other kustomizations. All other paths are no manifests. */
const RESOURCE_FIELDS = ['resources', 'bases', 'components'];

/** Longest text of a kustomization that can be a path. Inline patches are longer or have several lines. */
const LONGEST_PATH = 4096;

interface Kustomization {
  /** The path of the kustomization's file, as the command line leads to it. */
  readonly file: string;
  readonly directory: string;
  /** A component patches other kustomizations and cannot be built alone. */
  readonly isComponent: boolean;
  /** Manifests, and directories of other kustomizations. */
  readonly resources: ReadonlySet<string>;
  /** Patches, generators' inputs, values and the like. Such a file is often YAML, and never a whole object. */
  readonly otherFiles: ReadonlySet<string>;
}

export function isKustomizationFile(path: string): boolean {
  return KUSTOMIZATION_FILES.includes(basename(path));
}

/**
 * Reads a kustomization. Undefined for a file of that name that holds something else, such as Flux's Kustomization, and
 * for a file that cannot be read. It is then read as a manifest, which reports the problem.
 */
async function kustomizationIn(file: string): Promise<Kustomization | undefined> {
  const text = await readUtf8File(file).catch(() => undefined);
  if (text === undefined) return undefined;
  const content = parseYamlDocuments(file, text).documents[0]?.value ?? {};
  if (!isJsonObject(content) || !isOfKustomize(content)) return undefined;
  const directory = dirname(file);
  const resources = new Set<string>();
  const otherFiles = new Set<string>();
  for (const [field, value] of Object.entries(content)) {
    const paths = RESOURCE_FIELDS.includes(field) ? resources : otherFiles;
    for (const text of textsIn(value)) if (isPath(text)) paths.add(resolve(directory, text));
  }
  for (const path of resources) otherFiles.delete(path);
  return { file, directory, isComponent: stringMember(content, 'kind') === 'Component', resources, otherFiles };
}

function isOfKustomize(content: JsonObject): boolean {
  const apiVersion = member(content, 'apiVersion');
  return (
    apiVersion === undefined || (typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/'))
  );
}

/** Every text below a value. A generator's file may be written `KEY=PATH`, so the part behind the sign counts too. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const values = [value];
  for (const each of values) {
    if (typeof each === 'string') {
      texts.push(each);
      const equals = each.indexOf('=');
      if (equals > 0) texts.push(each.slice(equals + 1));
    } else if (typeof each === 'object' && each !== null) for (const below of Object.values(each)) values.push(below);
  }
  return texts;
}

function isPath(text: string): boolean {
  return text !== '' && text.length <= LONGEST_PATH && !/[\n\0]|:\/\//.test(text);
}

/**
 * Builds a kustomization with the `kubectl` of the PATH. kustomize does not tell where an object comes from, so every
 * object has the place of the kustomization's file. Git clones nothing unless remote bases are allowed, also where
 * kustomize finds a repository and `refuseRemoteParts` finds none.
 *
 * @throws Error with the reason of kubectl, or with the remote base that is not allowed
 */
export async function buildKustomization(
  file: string,
  directory: string,
  allowsRemoteBases: boolean,
): Promise<ManifestText> {
  if (!allowsRemoteBases) await refuseRemoteParts(directory);
  const environment = allowsRemoteBases ? {} : { GIT_ALLOW_PROTOCOL: 'none' };
  const text = await outputOf('kubectl', ['kustomize', resolve(directory)], environment);
  return { file, text, placeOf: () => ({ line: 1, column: 1 }) };
}

/** The fields that name or hold the settings of plugins. kustomize reads their elements like resources. */
const PLUGIN_FIELDS: ReadonlySet<string> = new Set(['generators', 'transformers', 'validators']);
const MAP_FIELDS: ReadonlySet<string> = new Set(['labels', 'commonlabels', 'commonannotations']);
/** The members that name files, of patches, generators, replacements and plugins, in lower case. */
const FILE_MEMBERS: ReadonlySet<string> = new Set(['path', 'paths', 'files', 'envs', 'env']);

/**
 * The forms of a repository that kustomize clones without a look at the disk (kustomize, api/internal/git/repospec.go),
 * and the short forms of its older releases.
 */
const REPOSITORY =
  /:\/\/|::|^(?:gh|(?:www\.)?github\.com):|^(?:www\.)?github\.com\/|^[a-z][\w.-]*@|\?(?:[^?]*&)?(?:ref|version|timeout|submodules)=/i;
/** A host in front of a path. It is a repository unless a directory has this name. */
const HOST = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?[/:]/;
const WEB_FILE = /^https?:\/\//i;

const MOST_KUSTOMIZATIONS = 1000;

/**
 * Refuses a kustomization that makes kustomize download something, also through its local bases: the author of a pull
 * request could otherwise have the job fetch and run through any address (issue 30, E7).
 *
 * @throws Error with the file, the field and the entry, or with the file that cannot be read
 */
export async function refuseRemoteParts(directory: string): Promise<void> {
  // A loop visits what is added to the map meanwhile. The keys are real paths, so links cannot make the search endless.
  const directories = new Map([[await realpath(directory), directory]]);
  for (const at of directories.values()) {
    if (directories.size > MOST_KUSTOMIZATIONS)
      throw new Error(`${directory} leads to more than ${MOST_KUSTOMIZATIONS} kustomizations`);
    for (const name of KUSTOMIZATION_FILES) {
      const file = join(at, name);
      if (!existsSync(file)) continue;
      for (const base of await localBasesOf(file, at)) directories.set(await realpath(base), base);
    }
  }
}

async function localBasesOf(file: string, directory: string): Promise<readonly string[]> {
  const bases: string[] = [];
  for (const content of await contentsOf(file))
    for (const [key, value] of Object.entries(content)) {
      // Go reads the names of members in any case.
      const field = key.toLowerCase();
      if (!RESOURCE_FIELDS.includes(field) && !PLUGIN_FIELDS.has(field)) {
        if (!MAP_FIELDS.has(field)) refuseWebFiles(file, key, value);
        continue;
      }
      const isPlugin = PLUGIN_FIELDS.has(field);
      for (const entry of strings(value)) {
        // A plugin may be written into the list, and may name files itself.
        if (entry.includes('\n')) {
          for (const { value: plugin } of parseYamlDocuments(file, entry).documents) refuseWebFiles(file, key, plugin);
          continue;
        }
        if (REPOSITORY.test(entry)) refuse(file, key, entry);
        const path = resolve(directory, entry);
        const stats = await stat(path).catch(() => undefined);
        if (stats === undefined && HOST.test(entry)) refuse(file, key, entry);
        if (stats?.isDirectory() === true) bases.push(path);
        else if (stats !== undefined && isPlugin)
          for (const plugin of await contentsOf(path)) refuseWebFiles(path, key, plugin);
      }
    }
  return bases;
}

/** Refuses a file of the web below a value: an element of the list itself, or of a member that names files. */
function refuseWebFiles(file: string, field: string, value: unknown): void {
  const values: { readonly value: unknown; readonly isFile: boolean }[] = [{ value, isFile: true }];
  // The loop also visits what is added meanwhile.
  for (const { value: each, isFile } of values) {
    if (typeof each === 'string') {
      // A generator's file may be written KEY=PATH.
      if (isFile && (WEB_FILE.test(each) || WEB_FILE.test(each.slice(each.indexOf('=') + 1))))
        refuse(file, field, each);
    } else if (Array.isArray(each)) for (const element of each) values.push({ value: element, isFile });
    else if (isJsonObject(each))
      for (const [key, below] of Object.entries(each))
        values.push({ value: below, isFile: FILE_MEMBERS.has(key.toLowerCase()) });
  }
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

async function contentsOf(file: string): Promise<readonly JsonObject[]> {
  const { documents, problems } = parseYamlDocuments(file, await readUtf8File(file));
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${file}:${problem.line}:${problem.column}: ${problem.message}`);
  return documents.map(({ value }) => value).filter(isJsonObject);
}

function refuse(file: string, field: string, entry: string): never {
  throw new Error(
    `${file}: ${field} has ${quote(entry)}, which kustomize would download; ` +
      'keep a copy in the repository, or add --allow-remote-bases if you trust the address',
  );
}
