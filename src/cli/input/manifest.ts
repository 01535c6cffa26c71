import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { parseYamlDocuments } from '../../yaml/reading/documents.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { PathStep } from '../../base/json/field-path.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { YamlDocument } from '../../yaml/reading/documents.ts';
import type { ManifestText } from './manifest-text.ts';

/** One object of a text: a document, or an item of a List in it. */
export interface Manifest {
  readonly object: JsonObject;
  readonly document: YamlDocument;
  /** The place of the object in its document. */
  readonly path: readonly PathStep[];
}

/** The objects of a text. Items of Lists are objects of their own. */
export function manifestsOf(
  { file, text, rendered }: ManifestText,
  onOffset?: (offset: number) => void,
): { manifests: Manifest[]; problems: FileProblem[] } {
  const read = parseYamlDocuments(file, text, onOffset);
  const documents = rendered === undefined ? read.documents : read.documents.map((each) => placedBy(rendered, each));
  const problems: FileProblem[] = read.problems.map((each) =>
    rendered === undefined ? each : { ...each, ...rendered.place(each) },
  );
  const manifests = documents.flatMap((document) => {
    if (isJsonObject(document.value)) return objectsIn(document, document.value, []);
    if (document.value !== null) problems.push({ file, ...document.position([]), message: 'is no Kubernetes object' });
    return [];
  });
  return { manifests, problems };
}

/** A rendered document whose positions are those of the source. */
function placedBy(rendered: Rendered, document: YamlDocument): YamlDocument {
  return { ...document, position: (path, options) => rendered.place(document.position(path, options)) };
}

type Rendered = NonNullable<ManifestText['rendered']>;

/** `v1` List and the typed lists (`DeploymentList`) that an API server prints. */
function objectsIn(document: YamlDocument, object: JsonObject, path: readonly PathStep[]): Manifest[] {
  const items = member(object, 'items');
  if (!(stringMember(object, 'kind')?.endsWith('List') ?? false) || !Array.isArray(items))
    return [{ object, document, path }];
  return items.flatMap((item: unknown, index) =>
    isJsonObject(item) ? objectsIn(document, item, [...path, 'items', index]) : [],
  );
}

/** The namespace that an object names. */
export function namespaceOf(object: JsonObject): string | undefined {
  const metadata = objectMember(object, 'metadata');
  return metadata && stringMember(metadata, 'namespace');
}

/** An object as messages name it: `Deployment apps/web`. */
export function describeManifest(object: JsonObject, namespace: string): string {
  const metadata = objectMember(object, 'metadata') ?? {};
  const name = stringMember(metadata, 'name') ?? `${stringMember(metadata, 'generateName') ?? ''}*`;
  return `${stringMember(object, 'kind') ?? 'object'} ${namespace}/${name}`;
}

/** The place of an object as messages begin: `apps/web.yaml:12:1`. */
export function placeOfManifest({ document, path }: Manifest): string {
  const { line, column } = document.position(path);
  return `${document.file}:${line}:${column}`;
}
