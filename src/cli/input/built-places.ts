import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { utf8Text } from '../../base/files/regular-file.ts';
import { valueAt, type FieldPath, type PathStep } from '../../base/json/field-path.ts';
import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { namesOf } from '../../engine/workload/workload-of-pod.ts';
import { parseYamlDocuments, type Position, type YamlDocument } from '../../yaml/reading/documents.ts';
import type { FilePlace } from '../output/json-outputs.ts';

/** What a kustomization was built of. */
export interface BuiltOf {
  /** The file of the kustomization. */
  readonly file: string;
  readonly directory: string;
  /** The file of each document, relative to the directory. */
  readonly origins: readonly (string | undefined)[];
  /** The patches of all parts, in the order in which they are applied. */
  readonly patches: readonly KustomizePatch[];
  /** The files that may be read. */
  readonly readable: ReadonlySet<string>;
}

/**
 * Finds the file that wrote a field of a built object: the last patch that sets the value, or the base. A mapping is
 * where it was written first, because patches only add to it. A value that kustomize has computed, such as an image of
 * `images`, is the kustomization's own.
 */
export function placesOfBuilt(built: BuiltOf): (document: YamlDocument, field: FieldPath) => FilePlace {
  const { file, directory, origins, patches, readable } = built;
  const documentsOf = documentReader(readable);
  return ({ index, value: object }, field) => {
    const ownPlace = { file, line: 1, column: 1 };
    const origin = origins[index];
    if (!isJsonObject(object) || origin === undefined) return ownPlace;
    const path = existing(object, field);
    const value = valueAt(object, path);
    const isMapping = typeof value === 'object' && value !== null;
    const writes = ({ document, path: own, isWhole }: FollowedPath): boolean =>
      isWhole && (isMapping || isSame(valueAt(document.value, own), value));
    const source = join(directory, origin);
    const base = baseOf(documentsOf({ file: source }), object);
    const ofBase = base && { file: source, followed: follow(base, object, path), patch: {} };
    const ofPatches = patches.flatMap((patch) =>
      followInPatch(patch, documentsOf(patch), object, path).map((followed) => ({ file: patch.file, followed, patch })),
    );
    const written = [...(ofBase ? [ofBase] : []), ...ofPatches].filter(({ followed }) => writes(followed));
    const writer = isMapping ? written[0] : written.at(-1);
    if (writer !== undefined) return { file: writer.file, ...placeIn(writer.followed, writer.patch) };
    if (ofBase === undefined) return readable.has(source) ? { file: source, line: 0, column: 0 } : ownPlace;
    return ofBase.followed.isWhole ? ownPlace : { file: source, ...placeIn(ofBase.followed, {}) };
  };
}

/** True for equal scalars. kustomize writes a number in quotes where a field is a text. */
function isSame(written: unknown, built: unknown): boolean {
  const [one, other] = [written, built].map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return one === other;
}

/** Reads each file and each patch once, and only when a finding asks. */
function documentReader(readable: ReadonlySet<string>) {
  const read = new Map<unknown, readonly YamlDocument[]>();
  return ({ file, inline }: Pick<KustomizePatch, 'file' | 'inline'>): readonly YamlDocument[] => {
    const source = inline ?? file;
    const documents =
      read.get(source) ?? parseYamlDocuments(file, inline?.text ?? (readable.has(file) ? textOf(file) : '')).documents;
    read.set(source, documents);
    return documents;
  };
}

function textOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return '';
  try {
    return utf8Text(readFileSync(file));
  } catch {
    return '';
  }
}

/** The object before it was built. Of several names that the built one contains, the longest is its own. */
function baseOf(documents: readonly YamlDocument[], object: JsonObject): YamlDocument | undefined {
  const nameIn = ({ value }: YamlDocument): string => (isJsonObject(value) ? (namesOf(value).name ?? '') : '');
  return documents
    .filter((each) => isJsonObject(each.value) && isNamed(stringMember(each.value, 'kind') ?? '', nameIn(each), object))
    .toSorted((a, b) => nameIn(b).length - nameIn(a).length)[0];
}

/** The way to a field, or to the nearest value around it. */
function existing(object: JsonObject, field: FieldPath): FieldPath {
  let path = field;
  while (path.length > 0 && valueAt(object, path) === undefined) path = path.slice(0, -1);
  return path;
}

/** A patch of a kustomization: a file, or a text in the kustomization itself. */
export interface KustomizePatch {
  /** The file with the patch. */
  readonly file: string;
  /** The text in the kustomization, with the line before its first one. Undefined for a file of its own. */
  readonly inline?: { readonly text: string; readonly line: number; readonly indent: number };
  readonly target: unknown;
}

/** A document with the way to a field of a built object, as far as the document has it. */
interface FollowedPath {
  readonly document: YamlDocument;
  readonly path: FieldPath;
  /** True when the document has the field itself. */
  readonly isWhole: boolean;
}

/** The patches of a kustomization, in the order in which they are applied. */
export function patchesIn(file: string, directory: string, text: string): readonly KustomizePatch[] {
  const [document] = parseYamlDocuments(file, text).documents;
  if (document === undefined || !isJsonObject(document.value)) return [];
  const lines = text.split('\n');
  const content = document.value;
  const patch = (path: FieldPath, written: string, target?: unknown): KustomizePatch => {
    if (!written.includes('\n')) return { file: join(directory, written), target };
    const { line } = document.position(path, { key: true });
    // Only the lines of a literal block are lines of the patch.
    const isLiteral = /\|[-+\d]*\s*(?:#.*)?$/.test(lines[line - 1] ?? '');
    const indent = isLiteral ? (lines[line]?.search(/\S/) ?? 0) : 0;
    return { file, inline: { text: written, line: isLiteral ? line : -line, indent }, target };
  };
  return Object.entries(content).flatMap(([field, value]) => {
    if (!/^patches(?:StrategicMerge|Json6902)?$/.test(field) || !Array.isArray(value)) return [];
    return value.flatMap((entry: unknown, index): KustomizePatch[] => {
      if (typeof entry === 'string') return [patch([field, index], entry)];
      if (!isJsonObject(entry)) return [];
      const [path, inline] = [stringMember(entry, 'path'), stringMember(entry, 'patch')];
      if (path !== undefined) return [patch([], path, member(entry, 'target'))];
      return inline === undefined ? [] : [patch([field, index, 'patch'], `${inline}\n`, member(entry, 'target'))];
    });
  });
}

/** The documents of a patch that concern an object, with the way to a field of the object. */
function followInPatch(
  { target }: KustomizePatch,
  documents: readonly YamlDocument[],
  object: JsonObject,
  field: FieldPath,
): readonly FollowedPath[] {
  if (isJsonObject(target) && !isNamed(stringMember(target, 'kind'), stringMember(target, 'name'), object)) return [];
  return documents.flatMap((document) => {
    const { value } = document;
    if (Array.isArray(value)) return followInOperations(document, value, object, field);
    if (!isJsonObject(value)) return [];
    const isOfObject = isJsonObject(target) || isNamed(stringMember(value, 'kind'), namesOf(value).name, object);
    return isOfObject ? [follow(document, object, field)] : [];
  });
}

/** The operations of a JSON patch, the last one first: a later one wins. */
function followInOperations(
  document: YamlDocument,
  operations: readonly unknown[],
  object: JsonObject,
  field: FieldPath,
): readonly FollowedPath[] {
  return operations
    .flatMap((operation, index): FollowedPath[] => {
      const pointer = isJsonObject(operation) ? stringMember(operation, 'path') : undefined;
      if (pointer === undefined) return [];
      const steps = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      const isAbove = steps.every(
        (step, at) => step === String(field[at]) || (step === '-' && typeof field[at] === 'number'),
      );
      if (!isAbove || steps.length > field.length) return [];
      const [above, below] = [field.slice(0, steps.length), field.slice(steps.length)];
      const way = waysInto(valueAt(operation, ['value']), valueAt(object, above), below);
      return [{ document, path: [index, 'value', ...way], isWhole: way.length === below.length }];
    })
    .toReversed();
}

/** Follows a field of a built object into a document that may have other lists around the field. */
function follow(document: YamlDocument, object: JsonObject, field: FieldPath): FollowedPath {
  const path = waysInto(document.value, object, field);
  return { document, path, isWhole: path.length === field.length };
}

function waysInto(value: unknown, built: unknown, field: FieldPath): FieldPath {
  const path: PathStep[] = [];
  let [here, there] = [value, built];
  for (const step of field) {
    const own = typeof step === 'number' ? indexIn(here, valueAt(there, [step]), step) : step;
    const next = own === undefined ? undefined : valueAt(here, [own]);
    if (own === undefined || next === undefined) return path;
    path.push(own);
    [here, there] = [next, valueAt(there, [step])];
  }
  return path;
}

/** Elements with a name are the same in every list. Others are told by their place. */
function indexIn(list: unknown, element: unknown, index: number): number | undefined {
  if (!Array.isArray(list)) return undefined;
  const name = isJsonObject(element) ? member(element, 'name') : undefined;
  if (name === undefined) return index;
  const found = list.findIndex((each: unknown) => isJsonObject(each) && member(each, 'name') === name);
  return found < 0 ? undefined : found;
}

/** True for the kind and the name that an object had before kustomize added to the name. A pattern means any name. */
function isNamed(kind: string | undefined, name: string | undefined, object: JsonObject): boolean {
  if (kind !== undefined && kind !== stringMember(object, 'kind')) return false;
  return name === undefined || /[^\w.-]/.test(name) || (namesOf(object).name ?? '').includes(name);
}

/** The place of a followed path. Lines of a text in a kustomization are counted from there. */
function placeIn({ document, path }: FollowedPath, { inline }: Pick<KustomizePatch, 'inline'>): Position {
  const { line, column } = document.position(path, { key: true });
  if (inline === undefined) return { line, column };
  return inline.line < 0
    ? { line: -inline.line, column: 1 }
    : { line: inline.line + line, column: inline.indent + column };
}
