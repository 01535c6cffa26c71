import { append } from './append.ts';
import { readFile, stat } from 'node:fs/promises';
import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import { findYamlFiles } from '../sources/yaml-files.ts';
import { readUtf8File, utf8Text } from '../sources/utf8.ts';
import { parseYamlDocuments } from '../sources/yaml-documents.ts';
import type { JsonObject } from '../probes/json.ts';
import type { PathStep } from '../policy/problems.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { LinkReport } from '../sources/yaml-files.ts';
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
/** Other names of standard input, and those of the pipes that a shell hands over for `<(helm template .)`. */
const STDIN_PATH = /^\/dev\/(?:stdin|fd\/0)$/;
const DESCRIPTOR_PATH = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/** Texts that were read, and what could not be: that does not hide the rest. */
export interface ReadTexts {
  readonly texts: ManifestText[];
  readonly problems: FileProblem[];
}

/**
 * Reads the manifests that arguments name: a file, every YAML and JSON file below a directory, or `-` for standard input. Pipes are read
 * where the shell opened them; a FIFO by its name is refused, as opening it could wait without end.
 */
export async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
): Promise<ReadTexts> {
  const read: ReadTexts = { texts: [], problems: [] };
  for (const name of names) {
    if (name === '-') await readOne(read, STDIN_NAME, readStdin);
    else if (STDIN_PATH.test(name)) await readOne(read, name, readStdin);
    else if (DESCRIPTOR_PATH.test(name)) await readOne(read, name, () => readDescriptor(name));
    else await readPath(read, name);
  }
  return read;
}

/** Reads the policies below a directory, or those of a file, which must be a regular one. */
export async function readPolicyTexts(path: string): Promise<ReadTexts> {
  const read: ReadTexts = { texts: [], problems: [] };
  await readPath(read, path);
  return read;
}

async function readOne({ texts, problems }: ReadTexts, file: string, reading: () => Promise<string>): Promise<void> {
  try {
    texts.push({ file, text: await reading() });
  } catch (error) {
    problems.push(unreadable(file, error));
  }
}

async function readDescriptor(path: string): Promise<string> {
  return (await stat(path)).isFIFO() ? utf8Text(await readFile(path)) : readUtf8File(path);
}

async function readPath(read: ReadTexts, name: string): Promise<void> {
  for (const file of await filesOf(name, read.problems)) await readOne(read, file, () => readUtf8File(file));
}

/** Links out of a directory are not followed: who wrote the directory's files need not be allowed to see what they lead to. */
async function filesOf(name: string, problems: FileProblem[]): Promise<string[]> {
  const links: LinkReport = {
    outside: (link) => {
      const message = `is a symbolic link that leads out of ${name}, and is skipped; name the file itself to have it read`;
      problems.push({ file: link, line: 1, column: 1, message });
    },
    broken: (link, error) => void problems.push(unreadable(link, error)),
  };
  try {
    if (!(await stat(name)).isDirectory()) return [name];
    return (await findYamlFiles(name, links)).map(({ path }) => path);
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
