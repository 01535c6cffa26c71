import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import type { Position, YamlDocument } from '../../yaml/reading/documents.ts';
import { templatesToLookAt, workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { valueAt, type FieldPath, type PathStep } from '../../base/json/field-path.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import { namesOf, shownNameOf } from '../../engine/workload/workload-of-pod.ts';
import { linePlace } from '../../cluster/sources/policy-documents.ts';
import type { FilePlace } from '../output/json-outputs.ts';

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

/** Texts with their objects. */
interface Texts {
  readonly texts: readonly { readonly manifests: readonly Manifest[] }[];
}

/** The objects of all texts, in their order. */
export function manifestsIn({ texts }: Texts): readonly Manifest[] {
  return texts.flatMap(({ manifests }) => manifests);
}

/** The workloads of all texts, in their order. */
export function workloadsIn(manifests: Texts, reading: WorkloadReading): readonly Workload[] {
  return manifestsIn(manifests).flatMap(({ object }) => workloadIn(object, reading) ?? []);
}

/** An object as messages name it: `Deployment apps/web`. */
export function describeManifest(object: JsonObject, namespace: string): string {
  return `${stringMember(object, 'kind') ?? 'object'} ${namespace}/${shownNameOf(object)}`;
}

/** The place of an object as messages begin: `apps/web.yaml:12:1`. */
export function placeOfManifest({ document, path }: Manifest): string {
  return linePlace(document.placeOf(path));
}
