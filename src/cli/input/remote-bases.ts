import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
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
