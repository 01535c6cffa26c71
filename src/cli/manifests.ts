import { append } from './append.ts';
import { stat } from 'node:fs/promises';
import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import { findYamlFiles } from '../sources/yaml-files.ts';
import { readUtf8File } from '../sources/utf8.ts';
import { parseYamlDocuments } from '../sources/yaml-documents.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PathStep } from '../policy/problems.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { YamlDocument } from '../sources/yaml-documents.ts';

/** A text with manifests, as it was read. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** One object of a text: a document, or an item of a List in it. */
export interface Manifest {
  readonly object: JsonObject;
  readonly document: YamlDocument;
  /** Where the object stands in its document. */
  readonly path: readonly PathStep[];
}

/** How standard input is called in messages. */
const STDIN_NAME = '<stdin>';

/**
 * Reads the files that arguments name: a file, every YAML and JSON file below a directory, or `-` for standard input. What cannot be
 * read becomes a problem and does not hide the rest.
 */
export async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
): Promise<{ texts: ManifestText[]; problems: FileProblem[] }> {
  const texts: ManifestText[] = [];
  const problems: FileProblem[] = [];
  const read = async (file: string, reading: () => Promise<string>): Promise<void> => {
    try {
      texts.push({ file, text: await reading() });
    } catch (error) {
      problems.push(unreadable(file, error));
    }
  };
  for (const name of names) {
    if (name === '-') await read(STDIN_NAME, readStdin);
    else for (const file of await filesOf(name, problems)) await read(file, () => readUtf8File(file));
  }
  return { texts, problems };
}

async function filesOf(name: string, problems: FileProblem[]): Promise<string[]> {
  try {
    if (!(await stat(name)).isDirectory()) return [name];
    return (await findYamlFiles(name)).map(({ path }) => path);
  } catch (error) {
    problems.push(unreadable(name, error));
    return [];
  }
}

function unreadable(file: string, error: unknown): FileProblem {
  return {
    file,
    line: 1,
    column: 1,
    message: `cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  };
}

/** The objects of a text. Items of Lists stand for themselves. */
export function manifestsOf({ file, text }: ManifestText): { manifests: Manifest[]; problems: FileProblem[] } {
  const { documents, problems: yamlProblems } = parseYamlDocuments(file, text);
  const manifests: Manifest[] = [];
  const problems: FileProblem[] = [...yamlProblems];
  for (const document of documents) {
    if (isJsonObject(document.value)) append(manifests, objectsIn(document, document.value, []));
    else if (document.value !== null)
      problems.push({ file, ...document.position([]), message: 'is no Kubernetes object' });
  }
  return { manifests, problems };
}

/** `v1` List and the typed lists (`DeploymentList`) that an API server prints. */
function objectsIn(document: YamlDocument, object: JsonObject, path: readonly PathStep[]): Manifest[] {
  const items = member(object, 'items');
  if (!(stringMember(object, 'kind')?.endsWith('List') ?? false) || !Array.isArray(items))
    return [{ object, document, path }];
  return items.flatMap((item: unknown, index) =>
    isJsonObject(item) ? objectsIn(document, item, [...path, 'items', index]) : [],
  );
}

/** How messages name an object: `Deployment apps/web`. */
export function describeManifest(object: JsonObject, namespace: string): string {
  const metadata = objectMember(object, 'metadata') ?? {};
  const name = stringMember(metadata, 'name') ?? `${stringMember(metadata, 'generateName') ?? ''}*`;
  return `${stringMember(object, 'kind') ?? 'object'} ${namespace}/${name}`;
}
