import { isJsonObject, member, NumberLiteral, stringMember } from '../../base/json/json-value.ts';
import { valueAt, type PathStep } from '../../base/json/field-path.ts';
import { FACT_KINDS } from '../../cluster/sources/fact-kinds.ts';
import { REPORT_APIS } from '../../cluster/sources/observer-reports.ts';
import { POLICY_GROUP } from '../../engine/policy/object-names.ts';
import { workloadKindOfManifest, type WorkloadKind } from '../../engine/workload/kinds.ts';
import { yamlFileParts, type YamlDocument } from '../../yaml/reading/documents.ts';
import { foundText, isData, NO_OBJECT, type PassedOver, type Unread } from './passed-over.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Manifest, ManifestText, PlacedDocument } from './manifest.ts';
import type { ExemptNamespace, LeftOutCounts } from '../output/json-outputs.ts';
import type { Outline } from '../../yaml/reading/outline.ts';
import type { ReadingOptions } from '../../yaml/reading/trees.ts';

/** The manifests of a command line: their texts, and what could not be read. */
export interface Manifests extends ReadTexts {
  readonly texts: readonly ParsedText[];
  /** Charts that are left out. Parts of policies that are in force and probably not meant, such as an empty probe. */
  readonly warnings: readonly FileProblem[];
  /** True when a cluster has workloads of the namespaces beside the texts: only some were asked for, or may be read. */
  readonly isPartial?: boolean;
  /** Workloads of a cluster that were left out, because the webhook never sees them. */
  readonly exempt?: readonly ExemptNamespace[];
  /** The same as notes, with what only the API server can tell of exempt workloads. For standard error. */
  readonly exemptNotes?: readonly FileProblem[];
}

/** A text with its objects. An object of a cluster is a text, too: an empty one. */
export interface ParsedText extends ManifestText {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly FileProblem[];
  /** Present when the text, or a document of it, is no manifest. */
  readonly passedOver?: PassedOver;
}

/** Texts that were read, and what could not be read. One does not keep the other from being used. */
export interface ReadTexts extends Unread {
  /** Those that are parsed already are kept as they are. */
  readonly texts: readonly (ManifestText | ParsedText)[];
  readonly problems: readonly FileProblem[];
  readonly warnings?: readonly FileProblem[];
}

export const NO_TEXTS: ReadTexts = { texts: [], problems: [] };

/** What several inputs gave, in their order. */
export function joined(all: readonly Partial<ReadTexts>[]): ReadTexts {
  const leftOut = all.flatMap((each) => each.leftOut ?? []);
  const sum = (key: keyof LeftOutCounts): number => leftOut.reduce((total, counts) => total + counts[key], 0);
  return {
    texts: all.flatMap(({ texts = [] }) => texts),
    problems: all.flatMap(({ problems = [] }) => problems),
    passedOver: all.flatMap(({ passedOver = [] }) => passedOver),
    notes: all.flatMap(({ notes = [] }) => notes),
    warnings: all.flatMap(({ warnings = [] }) => warnings),
    unchecked: all.flatMap(({ unchecked = [] }) => unchecked),
    ...(leftOut.length > 0 && { leftOut: { charts: sum('charts'), kustomizations: sum('kustomizations') } }),
  };
}

/** How texts are parsed. */
export interface Parsing {
  readonly kinds: readonly WorkloadKind[];
  /** Is called now and then while manifests are read, and at the end. */
  readonly onRead?: (files: number, workloads: number) => void;
  /** Documents of kinds that nothing reads are not parsed: their objects have an `apiVersion` and a `kind` only. */
  readonly skipsOtherKinds?: boolean;
}

/** Parses texts, but for those that are parsed already. An editor parses a text again after a change. */
export function parsedTexts(
  texts: readonly (ManifestText | ParsedText)[],
  { kinds, onRead, skipsOtherKinds = false }: Parsing,
): ParsedText[] {
  const isUnread = skipsOtherKinds ? (outline: Outline): boolean => !isOfReadKind(outline, kinds) : undefined;
  let workloads = 0;
  const parsed = texts.map((text, index): ParsedText => {
    if ('manifests' in text) return text;
    if (text.isFound === true && isData(text.text))
      return { ...text, manifests: [], problems: [], passedOver: { file: text.file, reason: 'object' } };
    const read = manifestsOf(text, {
      isUnread,
      onProgress: () => onRead?.(index, workloads),
      onManifests: (found) => {
        for (const { object } of found) if (workloadKindOfManifest(object, kinds) !== undefined) workloads += 1;
      },
    });
    if (text.isFound !== true) return { ...text, ...read };
    const objects = read.manifests.map(({ object }) => object);
    const { reason, isManifest, problems } = foundText(text.text, objects, read.problems);
    // `fix --output-dir` writes a file that is no manifest as it is.
    const manifests = isManifest ? read.manifests : [];
    return { ...text, manifests, problems, ...(reason && { passedOver: { file: text.file, reason } }) };
  });
  onRead?.(texts.length, workloads);
  return parsed;
}

/** The kinds beside workloads that a command reads, in any version. */
const OTHER_KINDS: ReadonlySet<string> = new Set(
  [...FACT_KINDS, ...REPORT_APIS, { kind: 'Namespace' }].map(({ kind }) => kind),
);

/** True for a document that a command may have to read: a workload, a policy, a fact, a report, or a list of these. */
export function isOfReadKind({ apiVersion = '', kind }: Outline, kinds: readonly WorkloadKind[]): boolean {
  if (apiVersion.startsWith(`${POLICY_GROUP}/`)) return true;
  if (kind === undefined) return false;
  return kind.endsWith('List') || OTHER_KINDS.has(kind) || kinds.some((known) => known.kind === kind);
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
  placeOf: NonNullable<ManifestText['placeOf']> = (position) => ({ file: document.file, ...position }),
): Pick<PlacedDocument, 'placeOf' | 'position'> {
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
