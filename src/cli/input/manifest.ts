import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { yamlFileParts, type Position, type YamlDocument } from '../../yaml/reading/documents.ts';
import { templatesToLookAt, workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { valueAt, type FieldPath, type PathStep } from '../../base/json/field-path.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import { namesOf, shownNameOf } from '../../engine/workload/workload-of-pod.ts';
import { NO_OBJECT } from './passed-over.ts';
import { linePlace, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { FilePlace } from '../output/json-outputs.ts';
import type { ReadingOptions } from '../../yaml/reading/trees.ts';

/** A value of a chart that writes a field. */
export interface ChartValue {
  /** `probe.port in web/values.yaml:5`, or `probe.port` for a value that no file sets. */
  readonly text: string;
  /** The file to edit. */
  readonly file: string;
  /** As the file has it. */
  readonly value?: unknown;
}

/** A text with manifests or policies, and the name that messages give it. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
  /** True for a file that a directory holds and that nobody named: it may be no manifest. */
  readonly isFound?: boolean;
  /**
   * Present for a text that a tool rendered: the file that wrote a position of the text, or a field of a document. No
   * file has the text itself, so its edits are for people.
   */
  readonly placeOf?: (position: Position, field?: RenderedField) => FilePlace;
  /**
   * The value of a chart that writes a field of a rendered text. Undefined for other fields, and where the value is the
   * wanted one already: then the template quotes it, or leaves its quotes out.
   */
  readonly chartValueOf?: (position: Position, path: FieldPath, wanted?: unknown) => Promise<ChartValue | undefined>;
}

/** A field of a document of a rendered text. */
interface RenderedField {
  readonly document: YamlDocument;
  readonly path: FieldPath;
}

/** A document whose positions are those of its source. */
export interface PlacedDocument extends YamlDocument {
  /** The place of a field, or of the nearest field around it, in the file that wrote it. */
  readonly placeOf: (path: FieldPath, options?: { key?: boolean }) => FilePlace;
  /** The value of a chart that writes a field of the document. */
  readonly chartValueOf?: (path: FieldPath, wanted?: unknown) => Promise<ChartValue | undefined>;
}

/** One object of a text: a document, or an item of a List in it. */
export interface Manifest {
  readonly object: JsonObject;
  readonly document: PlacedDocument;
  readonly path: readonly PathStep[];
}

/** How the objects of a text are read, and who hears of them meanwhile. */
interface ManifestReading extends Pick<ReadingOptions, 'onProgress' | 'isUnread'> {
  readonly onManifests?: (manifests: readonly Manifest[]) => void;
}

/** The objects of a text. Items of Lists are objects of their own. */
export function manifestsOf(
  { file, text, placeOf, chartValueOf }: ManifestText,
  reading: ManifestReading = {},
): { manifests: Manifest[]; problems: FileProblem[] } {
  const manifests: Manifest[] = [];
  const problems: FileProblem[] = [];
  for (const part of yamlFileParts(file, text, reading)) {
    for (const problem of part.problems) problems.push({ ...problem, ...placeOf?.(problem) });
    if (part.document === undefined) continue;
    const read = part.document;
    const document: PlacedDocument = {
      ...read,
      ...placesIn(read, placeOf),
      ...(chartValueOf && {
        chartValueOf: (path, wanted) => chartValueOf(read.position(path, { key: true }), path, wanted),
      }),
    };
    const { value } = document;
    const found = objectsIn(document, value, [], (path) =>
      problems.push({ file, ...document.position(path), message: NO_OBJECT }),
    );
    for (const manifest of found) manifests.push(manifest);
    reading.onManifests?.(found);
  }
  return { manifests, problems };
}

/** The places of a document. A position without its file is one in the file that messages name. */
function placesIn(
  document: YamlDocument,
  placeOf: ManifestText['placeOf'],
): Pick<PlacedDocument, 'placeOf'> & Partial<Pick<PlacedDocument, 'position'>> {
  if (placeOf === undefined)
    return { placeOf: (path, options) => ({ file: document.file, ...document.position(path, options) }) };
  const placed: PlacedDocument['placeOf'] = (path, options) =>
    placeOf(document.position(path, options), { document, path });
  return {
    placeOf: placed,
    position: (path, options) => {
      const { file, line, column } = placed(path, options);
      return file === document.file && line > 0 ? { line, column } : { line: 1, column: 1 };
    },
  };
}

/**
 * `v1` List and the typed lists (`DeploymentList`) that an API server prints.
 *
 * @param onOther takes the place of a value that is no object and not null
 */
function objectsIn(
  document: PlacedDocument,
  value: unknown,
  path: readonly PathStep[],
  onOther: (path: readonly PathStep[]) => void,
): Manifest[] {
  if (!isJsonObject(value)) {
    if (value !== null) onOther(path);
    return [];
  }
  const items = member(value, 'items');
  if (!(stringMember(value, 'kind')?.endsWith('List') ?? false) || !Array.isArray(items))
    return [{ object: value, document, path }];
  return items.flatMap((item: unknown, index) => objectsIn(document, item, [...path, 'items', index], onOther));
}

export function namespaceOf(object: JsonObject): string | undefined {
  return namesOf(object).namespace;
}

/** The name of an object, or how its generated name begins. */
export function nameOf(object: JsonObject): string {
  const { name, generateName = '' } = namesOf(object);
  return name ?? generateName;
}

/** What tells which objects are workloads: the kinds, and the namespace of objects that name no namespace. */
export interface WorkloadReading {
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
  /** True for objects that exist: a cluster may run a test of Helm now. */
  readonly isFromCluster?: boolean;
}

/** True for an object that only `helm test` creates. Helm's own flag for it is `--skip-tests`. */
function isTestOfHelm(object: JsonObject): boolean {
  const hooks = valueAt(object, ['metadata', 'annotations', 'helm.sh/hook']);
  return typeof hooks === 'string' && hooks.split(',').some((hook) => /^test(?:-success)?$/.test(hook.trim()));
}

/**
 * Returns the workload in an object. Undefined for objects that the webhook would skip, and for tests of Helm: charts
 * are rendered without them, too.
 */
export function workloadIn(object: JsonObject, reading: WorkloadReading): Workload | undefined {
  const { kinds, namespace: own, isFromCluster = false } = reading;
  if (!isFromCluster && isTestOfHelm(object)) return undefined;
  const kind = workloadKindOfManifest(object, kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found?.kind !== 'checked') return undefined;
  const namespace = namespaceOf(object) ?? own;
  return { object, kind, pods: readPods(found.templates, kind), namespace, name: nameOf(object) };
}

/** An object as messages name it: `Deployment apps/web`. */
export function describeManifest(object: JsonObject, namespace: string): string {
  return `${stringMember(object, 'kind') ?? 'object'} ${namespace}/${shownNameOf(object)}`;
}

/** The place of an object as messages begin: `apps/web.yaml:12:1`. */
export function placeOfManifest({ document, path }: Manifest): string {
  return linePlace(document.placeOf(path));
}
