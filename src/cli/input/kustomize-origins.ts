import { parseYamlDocuments } from '../../yaml/reading/documents.ts';

/** What kustomize writes beside each object when it is asked for origins. */
const ANNOTATION = 'config.kubernetes.io/origin';

/** The output of kustomize without annotations about origins, and the origin of each document. */
export interface BuiltText {
  readonly text: string;
  /** The file of each object, relative to the kustomization. Undefined for generated and downloaded objects. */
  readonly origins: readonly (string | undefined)[];
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
