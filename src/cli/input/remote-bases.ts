import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Tree } from '../../base/files/tree.ts';
import { isInTree } from '../../base/files/yaml-files.ts';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { quote } from '../../base/text/cut.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';

export const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The fields of a kustomization that name manifests and other kustomizations. All other paths are no manifests. */
export const RESOURCE_FIELDS = ['resources', 'bases', 'components'];

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
 * The directories that a kustomization consists of, with its own. Refuses a part out of the tree, and one that makes
 * kustomize download something, also through local bases: the author of a pull request could otherwise have the job
 * read any file, or fetch and run through any address (issue 30, E7). kustomize itself reads no other file out of a
 * directory with a kustomization.
 *
 * @param trees those of all that is named. That of the kustomization is the first
 * @param allowsRemote true = parts that kustomize downloads are allowed
 * @throws Error with the file, the field and the entry, or with the file that cannot be read
 */
export async function localParts(
  directory: string,
  trees: readonly Tree[],
  allowsRemote: boolean,
): Promise<readonly string[]> {
  // A loop visits what is added to the map meanwhile. The keys are real paths, so links cannot make the search endless.
  const directories = new Map([[await realpath(directory), directory]]);
  for (const at of directories.values()) {
    if (directories.size > MOST_KUSTOMIZATIONS)
      throw new Error(`${directory} leads to more than ${MOST_KUSTOMIZATIONS} kustomizations`);
    for (const name of KUSTOMIZATION_FILES) {
      const file = join(at, name);
      if (!existsSync(file)) continue;
      if (!(await isInOneOf(trees, file))) throw new Error(`${file} leads out of ${trees[0]?.shown ?? '.'}`);
      for (const base of await localBasesOf(file, at, trees, allowsRemote)) directories.set(await realpath(base), base);
    }
  }
  return [...directories.values()];
}

async function localBasesOf(
  file: string,
  directory: string,
  trees: readonly Tree[],
  allowsRemote: boolean,
): Promise<readonly string[]> {
  const bases: string[] = [];
  const refuseFiles = (of: string, key: string, value: unknown): void => {
    if (!allowsRemote) refuseWebFiles(of, key, value);
  };
  for (const content of await contentsOf(file))
    for (const [key, value] of Object.entries(content)) {
      // Go reads the names of members in any case.
      const field = key.toLowerCase();
      if (!RESOURCE_FIELDS.includes(field) && !PLUGIN_FIELDS.has(field)) {
        if (!MAP_FIELDS.has(field)) refuseFiles(file, key, value);
        continue;
      }
      const isPlugin = PLUGIN_FIELDS.has(field);
      for (const entry of strings(value)) {
        // A plugin may be written into the list, and may name files itself.
        if (entry.includes('\n')) {
          for (const { value: plugin } of parseYamlDocuments(file, entry).documents) refuseFiles(file, key, plugin);
          continue;
        }
        if (!allowsRemote && REPOSITORY.test(entry)) refuse(file, key, entry);
        const path = resolve(directory, entry);
        if (!(await isInOneOf(trees, path)))
          throw new Error(`${file}: ${key} has ${quote(entry)}, which leads out of ${trees[0]?.shown ?? '.'}`);
        const stats = await stat(path).catch(() => undefined);
        if (!allowsRemote && stats === undefined && HOST.test(entry)) refuse(file, key, entry);
        if (stats?.isDirectory() === true) bases.push(path);
        else if (stats !== undefined && isPlugin)
          for (const plugin of await contentsOf(path)) refuseFiles(path, key, plugin);
      }
    }
  return bases;
}

/** True for a path whose file is really in one of the trees, and for a path that leads nowhere. */
export async function isInOneOf(trees: readonly Tree[], path: string): Promise<boolean> {
  return (await Promise.all(trees.map(({ root }) => isInTree(root, path)))).includes(true);
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
