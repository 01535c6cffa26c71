import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readUtf8File } from '../../base/files/regular-file.ts';
import { holdsGit } from '../../base/files/tree.ts';
import { isJsonObject, member, type JsonObject } from '../../base/json/json-value.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { jsonText } from '../../base/text/visible.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import { isPath, textsIn } from './kustomizations.ts';
import { KUSTOMIZATION_FILES } from './remote-bases.ts';
import { NoRenderingTool } from './rendering-tool.ts';
import type { TreeCopy } from '../../base/files/tree-copy.ts';

/** What kustomize writes beside each object when it is asked for origins. */
const ANNOTATION = 'config.kubernetes.io/origin';

/** The output of kustomize without annotations about origins, and the origin of each document. */
export interface BuiltText {
  readonly text: string;
  /** The file of each object, relative to the kustomization. Undefined for generated and downloaded objects. */
  readonly origins: readonly (string | undefined)[];
}

/**
 * Builds a copy of a kustomization that asks where objects come from. If the copy cannot be built, the kustomization is
 * built in its place, and tells no origins.
 *
 * @param parts the directories that the kustomization consists of, with its own
 * @param build builds the kustomization of a directory, and throws the reason of the program
 */
export async function builtWithOrigins(
  file: string,
  parts: readonly string[],
  copy: TreeCopy,
  build: (directory: string) => Promise<string>,
): Promise<BuiltText> {
  const output = await copyWithOrigins(file, parts, copy)
    .then(build)
    .catch(async (error: unknown) => {
      if (error instanceof NoRenderingTool) throw error;
      return await builtInPlace(dirname(file), parts, copy, build);
    });
  return withoutOrigins(output);
}

/** Copies what kustomize reads, and has the copy ask for origins. Returns the directory of the copy. */
async function copyWithOrigins(file: string, parts: readonly string[], copy: TreeCopy): Promise<string> {
  for (const part of parts) {
    const texts = await Promise.all(KUSTOMIZATION_FILES.map((name) => contentOf(join(part, name))));
    await copy.withFiles(part, [...KUSTOMIZATION_FILES, ...texts.flatMap(textsIn).filter(isPath)]);
  }
  const directory = await copy.withFiles(dirname(file), []);
  const path = join(directory, basename(file));
  const content = await contentOf(path);
  const asked = content && member(content, 'buildMetadata');
  const buildMetadata = ['originAnnotations', ...(Array.isArray(asked) ? (asked as unknown[]) : [])];
  if (content !== undefined) await writeFile(path, jsonText({ ...content, buildMetadata }));
  return directory;
}

/** The only document of a kustomization. Undefined for a text that kustomize refuses, or that is none. */
async function contentOf(file: string): Promise<JsonObject | undefined> {
  const text = await readUtf8File(file).catch(() => '');
  const { documents, problems } = parseYamlDocuments(file, text);
  const [{ value } = { value: undefined }] = documents;
  return documents.length === 1 && problems.length === 0 && isJsonObject(value) ? value : undefined;
}

/** Reasons name files, and the copy lacks what no kustomization names. Git's own files are in no copy. */
async function builtInPlace(
  directory: string,
  parts: readonly string[],
  copy: TreeCopy,
  build: (path: string) => Promise<string>,
): Promise<string> {
  if (!(await Promise.all(parts.map(holdsGit))).includes(true)) return await build(resolve(directory));
  for (const part of parts) await copy.at(part);
  return await build(await copy.at(directory)).catch(async (error: unknown) => {
    throw new Error(await copy.withoutCopy(messageOf(error)), { cause: error });
  });
}

/**
 * Takes the annotations about origins out of an output of kustomize. The text is then the same as without the request
 * for origins. kustomize indents by two spaces, so only `metadata` of an object is at the start of a line, and only its
 * `annotations` are two spaces behind.
 */
export function withoutOrigins(output: string): BuiltText {
  const documents = output.split(/^(?=---$)/m).map((document) => {
    const [start, end] = annotationsIn(document);
    const own = document.slice(start, end);
    const found = ORIGIN.exec(own);
    if (found === null) return { text: document, origin: undefined };
    const left = own.replace(found[0], '');
    // kustomize prints no annotations without members.
    const annotations = /^ {4}/m.test(left) ? left : '';
    return { text: document.slice(0, start) + annotations + document.slice(end), origin: pathIn(found[0]) };
  });
  return { text: documents.map(({ text }) => text).join(''), origins: documents.map(({ origin }) => origin) };
}

const ORIGIN = /^ {4}config\.kubernetes\.io\/origin: \|\n(?: {6}.*\n?)*/m;

/** The start and the end of `annotations` in `metadata`. An empty range without any. */
function annotationsIn(document: string): readonly [start: number, end: number] {
  const metadata = /^metadata:\n(?: .*\n?)*/m.exec(document);
  const found = metadata && /^ {2}annotations:\n(?: {4}.*\n?|\n)*/m.exec(metadata[0]);
  if (!found) return [0, 0];
  const start = metadata.index + found.index;
  return [start, start + found[0].length];
}

/** `path: ../base/web.yaml`. An object of another repository has `repo`, and no file here. */
function pathIn(annotation: string): string | undefined {
  const [document] = parseYamlDocuments(ANNOTATION, annotation).documents;
  const value = (document?.value ?? {}) as Readonly<Record<string, unknown>>;
  const lines = String(value[ANNOTATION]).split('\n');
  const path = lines.find((line) => line.startsWith('path: '))?.slice('path: '.length);
  return lines.some((line) => line.startsWith('repo: ')) ? undefined : path;
}
