import { isJsonObject, member, stringMember, NumberLiteral } from '../../base/json/json-value.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { yamlFileParts, type Position, type YamlDocument } from '../../yaml/reading/documents.ts';
import { templatesToLookAt, workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { valueAt, type FieldPath, type PathStep } from '../../base/json/field-path.ts';
import { readPods } from '../../engine/workload/read-pod.ts';
import type { Pod } from '../../engine/workload/pod.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import { namesOf, workloadNameOf } from '../../engine/workload/workload-of-pod.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ReadingOptions } from '../../yaml/reading/trees.ts';

/** A value of a chart that writes a field. */
export interface ChartValue {
  /** `probe.port in web/values.yaml:5`, or `probe.port` for a value that no file sets. */
  readonly text: string;
  /** The file to edit. */
  readonly file: string;
}

/** A text with manifests or policies, and the name that messages give it. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
  /** True for a file that a directory holds and that nobody named: it may be no manifest. */
  readonly isFound?: boolean;
  /** Present for a text that a tool rendered: the place in `file`, which is then a source of the text. */
  readonly placeOf?: (position: Position) => Position;
  /** The value of a chart that writes a field of a rendered text. Undefined for other fields. */
  readonly chartValueOf?: (position: Position, path: FieldPath) => Promise<ChartValue | undefined>;
}

/** A document whose positions are those of its source. */
export interface PlacedDocument extends YamlDocument {
  /** The value of a chart that writes a field of the document. */
  readonly chartValueOf?: (path: FieldPath) => Promise<ChartValue | undefined>;
}

/** One object of a text: a document, or an item of a List in it. */
export interface Manifest {
  readonly object: JsonObject;
  readonly document: PlacedDocument;
  readonly path: readonly PathStep[];
}

export interface ParsedText extends ManifestText {
  readonly manifests: readonly Manifest[];
}

/** The problem of a document that is a list or a scalar. */
export const NO_OBJECT = 'is no Kubernetes object';

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
    const document: PlacedDocument =
      placeOf === undefined
        ? read
        : {
            ...read,
            position: (path, options) => placeOf(read.position(path, options)),
            ...(chartValueOf && { chartValueOf: (path) => chartValueOf(read.position(path, { key: true }), path) }),
          };
    const { value } = document;
    const found = isJsonObject(value) ? objectsIn(document, value, []) : [];
    if (!isJsonObject(value) && value !== null) problems.push({ file, ...document.position([]), message: NO_OBJECT });
    for (const manifest of found) manifests.push(manifest);
    reading.onManifests?.(found);
  }
  return { manifests, problems };
}

/** `v1` List and the typed lists (`DeploymentList`) that an API server prints. */
function objectsIn(document: PlacedDocument, object: JsonObject, path: readonly PathStep[]): Manifest[] {
  const items = member(object, 'items');
  if (!(stringMember(object, 'kind')?.endsWith('List') ?? false) || !Array.isArray(items))
    return [{ object, document, path }];
  return items.flatMap((item: unknown, index) =>
    isJsonObject(item) ? objectsIn(document, item, [...path, 'items', index]) : [],
  );
}

/**
 * The problems in documents that have a line with a mark. A document with a syntax error has no object that could be
 * asked, so the text of the document decides. Each line is read once, because a text can have a problem in every line.
 */
export function problemsOfDocuments(
  text: string,
  problems: readonly FileProblem[],
  isMark: (line: string) => boolean,
): readonly FileProblem[] {
  if (problems.length === 0) return [];
  /** The first and the last document of each line. A line between two documents counts for both. */
  const documentsOf: (readonly [number, number])[] = [];
  const isMarked: boolean[] = [false];
  for (const line of text.split('\n')) {
    const before = isMarked.length - 1;
    if (line.startsWith('---')) isMarked.push(false);
    const last = isMarked.length - 1;
    if (isMark(line)) isMarked[last] = true;
    documentsOf.push([before, last]);
  }
  return problems.filter(({ line }) => documentsOf[line - 1]?.some((document) => isMarked[document]));
}

/** The objects of all texts, in their order. */
export function manifestsIn({ texts }: { readonly texts: readonly ParsedText[] }): readonly Manifest[] {
  return texts.flatMap(({ manifests }) => manifests);
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
interface WorkloadReading {
  readonly kinds: readonly WorkloadKind[];
  readonly namespace: string;
}

/** The workloads of all texts, in their order. */
export function workloadsIn(inputs: WorkloadReading & Parameters<typeof manifestsIn>[0]): readonly Workload[] {
  return manifestsIn(inputs).flatMap(({ object }) => workloadIn(object, inputs) ?? []);
}

/** Returns the workload in an object. Undefined for objects that the webhook would skip. */
export function workloadIn(object: JsonObject, inputs: WorkloadReading): Workload | undefined {
  const kind = workloadKindOfManifest(object, inputs.kinds);
  const found = kind && templatesToLookAt(object, kind);
  if (kind === undefined || found?.kind !== 'checked') return undefined;
  const namespace = namespaceOf(object) ?? inputs.namespace;
  return { object, kind, pods: readPods(found.templates, kind), namespace, name: nameOf(object) };
}

/** The policy in force for the Pods of one of the templates of a workload. */
export function policyOfPod({ object, kind, namespace }: Workload, pod: Pod, policies: Snapshot): WorkloadPolicy {
  return policies.policyFor(namespace, pod.labels, workloadNameOf(object, kind, false));
}

/** An object as messages name it: `Deployment apps/web`. */
export function describeManifest(object: JsonObject, namespace: string): string {
  const { name, generateName = '' } = namesOf(object);
  return `${stringMember(object, 'kind') ?? 'object'} ${namespace}/${name ?? `${generateName}*`}`;
}

/** The place of an object as messages begin: `apps/web.yaml:12:1`. */
export function placeOfManifest({ document, path }: Manifest): string {
  const { line, column } = document.position(path);
  return `${document.file}:${line}:${column}`;
}

/**
 * The manifests of a text as the API server decodes them. In JSON, a number such as `1.0` is a literal that valid-probe
 * rejects. In YAML, kubectl changes `1.0` to 1 before it calls the API server.
 */
export function manifestsAsSent({ text, manifests }: ParsedText): readonly Manifest[] {
  const literal = jsonWithLiterals(text);
  if (literal === undefined) return manifests;
  return manifests.map((manifest) => {
    const object = valueAt(literal, manifest.path);
    return isJsonObject(object) ? { ...manifest, object } : manifest;
  });
}

/**
 * The value of a text that is one JSON document. Numbers that parsing would change are NumberLiterals. Undefined for
 * any other text.
 */
function jsonWithLiterals(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? numberOrLiteral(value, context.source) : value,
    );
  } catch {
    return undefined;
  }
}

/**
 * Returns the number, or a NumberLiteral for a text that Go's decoder does not accept as an integer of at most 64 bits.
 */
function numberOrLiteral(value: number, source: string): number | NumberLiteral {
  if (!/^-?\d{1,20}$/.test(source)) return new NumberLiteral(source);
  const integer = BigInt(source);
  return integer === BigInt.asIntN(64, integer) ? value : new NumberLiteral(source);
}
