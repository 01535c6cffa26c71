import { basename, dirname, resolve } from 'node:path';
import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { readUtf8File } from '../../base/files/utf8.ts';
import { outputOf } from './rendering-tool.ts';
import { shellPath } from './shell-word.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { InputNote } from './input-note.ts';
import type { ManifestText } from './manifest-text.ts';

/** The names under which kustomize looks for its file. */
export const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** The fields of a kustomization that name manifests and other kustomizations. All other paths are no manifests. */
const RESOURCE_FIELDS = ['resources', 'bases', 'components'];

/** Longest text of a kustomization that can be a path. Inline patches are longer or have several lines. */
const LONGEST_PATH = 4096;

/** A kustomization of kustomize, with absolute paths of the files that it names. */
export interface Kustomization {
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
 * Reads a kustomization. Undefined for a file of that name that holds something else, such as Flux's Kustomization.
 *
 * @throws Error when the file cannot be read
 */
export async function readKustomization(file: string): Promise<Kustomization | undefined> {
  const { documents } = parseYamlDocuments(file, await readUtf8File(file));
  const content = documents[0]?.value ?? {};
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
 * The note about a kustomization that is not built.
 *
 * @param state what happens instead
 */
export function unbuiltKustomization({ directory }: Kustomization, state: string): InputNote {
  return { subject: `kustomization ${directory}`, state, command: `kubectl kustomize ${shellPath(directory)}` };
}

/**
 * Builds a kustomization with the `kubectl` of the PATH. kustomize does not tell where an object comes from, so every
 * object has the place of the kustomization's file. Git clones nothing unless remote bases are allowed, also where
 * kustomize finds a repository and `refuseRemoteParts` finds none.
 *
 * @throws Error with the reason of kubectl
 */
export async function buildKustomization(
  { file, directory }: Kustomization,
  allowsRemoteBases: boolean,
): Promise<ManifestText> {
  const environment = allowsRemoteBases ? {} : { GIT_ALLOW_PROTOCOL: 'none' };
  const text = await outputOf('kubectl', ['kustomize', resolve(directory)], environment);
  return { file, text, rendered: { place: () => ({ line: 1, column: 1 }) } };
}
