import { basename, dirname, join, resolve } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { treeOf, type Tree } from '../../base/files/tree.ts';
import { isInTree, isWithin } from '../../base/files/yaml-files.ts';
import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { KUSTOMIZATION_FILES, RESOURCE_FIELDS } from './remote-bases.ts';
import { shellPath } from '../../base/text/shell-word.ts';
import type { Unread } from './passed-over.ts';

/** Something that a command line leads to: a text, a directory with a chart, or the file of a kustomization. */
export interface FoundInput {
  readonly kind: 'stream' | 'file' | 'chart' | 'kustomization';
  readonly path: string;
  /** The tree of a chart and of a kustomization. */
  readonly tree?: Tree;
  /** True for what a directory holds, and nobody named. */
  readonly isFound?: boolean;
  /** Reads a stream. */
  readonly read?: () => Promise<string>;
}

/**
 * Plans how inputs are read, in their order: what is to be read, or why an input is not read. A kustomization that
 * another one contains is built as its part. kustomize reads files in and below the directory of a kustomization only,
 * so no file that a directory has there is read alone.
 *
 * @param directoriesAbove directories whose kustomizations may use named files
 */
export async function plannedInputs(
  inputs: readonly FoundInput[],
  directoriesAbove: ReadonlySet<string>,
): Promise<readonly (FoundInput | Unread)[]> {
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

  return inputs.flatMap((input): (FoundInput | Unread)[] => {
    const { kind, path, isFound = false } = input;
    if (kind === 'stream' || kind === 'chart') return [input];
    const kustomization = own.get(path);
    if (kustomization !== undefined) {
      if (roots.includes(kustomization)) return [input];
      const isAlone = kustomization.isComponent && !isFound;
      const why = `kustomization ${dirname(path)}: a component, which is built as a part of others`;
      return isAlone ? [{ notes: [{ why }] }] : [];
    }
    if (isFound && all.some(({ directory }) => isWithin(resolve(directory), resolve(path))))
      return [{ passedOver: [{ file: path, reason: 'kustomization' }] }];
    const user = above.find(({ otherFiles }) => otherFiles.has(resolve(path)));
    if (user === undefined) return [{ ...input, kind: 'file' }];
    const why = `kustomization ${user.directory}: its part ${path} is skipped, because it is no manifest of its own`;
    return [{ notes: [{ why, command: kustomizeCommand(user.directory) }] }];
  });
}

/** The command that builds a kustomization, for people. */
export function kustomizeCommand(directory: string): string {
  return `kubectl kustomize ${shellPath(directory)}`;
}

/** What people apply: the kustomizations that no other one contains. Those of a cycle count: kustomize reports it. */
function rootsOf(all: readonly Kustomization[]): readonly Kustomization[] {
  const byDirectory = new Map(all.map((each) => [resolve(each.directory), each]));
  const parts = new Map(all.map((each) => [each, partsOf(each, byDirectory)]));
  const contains = (one: Kustomization, other: Kustomization): boolean => parts.get(one)?.has(other) === true;
  return all.filter(
    (each) => !each.isComponent && !all.some((other) => contains(other, each) && !contains(each, other)),
  );
}

/** The kustomizations that one contains, also through others. */
function partsOf(root: Kustomization, byDirectory: ReadonlyMap<string, Kustomization>): ReadonlySet<Kustomization> {
  const paths = new Set(root.resources);
  // The loop also visits what is added to the set meanwhile.
  for (const path of paths) for (const below of byDirectory.get(path)?.resources ?? []) paths.add(below);
  return new Set(Array.from(paths, (path) => byDirectory.get(path)).filter((part) => part !== undefined));
}

interface Kustomization {
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
  if (text === undefined || !(await isInTree((await treeOf(file)).root, file))) return undefined;
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
  return { directory, isComponent: stringMember(content, 'kind') === 'Component', resources, otherFiles };
}

function isOfKustomize(content: JsonObject): boolean {
  const apiVersion = member(content, 'apiVersion');
  return (
    apiVersion === undefined || (typeof apiVersion === 'string' && apiVersion.startsWith('kustomize.config.k8s.io/'))
  );
}

/** Every text below a value. A generator's file may be written `KEY=PATH`, so the part behind the sign counts too. */
export function textsIn(value: unknown): readonly string[] {
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

/** True for a text that may be a path. */
export function isPath(text: string): boolean {
  return text !== '' && !/[\n\0]|:\/\//.test(text);
}
