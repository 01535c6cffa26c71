import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { didYouMean } from '../../base/text/suggestion.ts';
import { quote } from '../../base/text/cut.ts';
import { commentsIn, type YamlComment } from '../../yaml/reading/comments.ts';
import { parseYamlDocuments, type YamlDocument } from '../../yaml/reading/documents.ts';
import { textAt, valueAt, type FieldPath } from '../../base/json/field-path.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { Manifest } from '../input/manifest.ts';
import type { ParsedText } from '../input/manifests.ts';

/** `# probewright: ignore exec-cost - the script is ours, 2 ms`; several checks with commas. */
const COMMENT = /^probewright: ?ignore ([a-z-]+(?: ?, ?[a-z-]+)*)(?: --? |: )(\S.*)$/;
const MARK = /^probewright: ?ignore\b/;
const FORM = 'write "# probewright: ignore CHECK - REASON"';

/** A part of a document whose findings a comment ignores: a container, a probe, or with an empty path all of it. */
interface Place {
  readonly path: FieldPath;
  /** The name of the container. */
  readonly name: string;
}

interface Ignored {
  readonly comment: YamlComment;
  readonly check: string;
  readonly document: number;
  /** Undefined for a comment that is at no such part. */
  readonly place: Place | undefined;
  isUsed: boolean;
}

/**
 * The comments of a text that ignore findings, each with a reason. They concern the probe, the container or the
 * document that begins at the comment, or in which it stands. Only a file has comments, so nobody can talk a webhook
 * out of a verdict.
 */
export class IgnoreComments {
  /** Comments that cannot be read. */
  readonly problems: FileProblem[] = [];
  readonly #ignored: Ignored[] = [];
  readonly #source: ParsedText;

  constructor(source: ParsedText) {
    this.#source = source;
    const { file, text, placeOf, manifests } = source;
    if (!text.includes('probewright:')) return;
    const comments = commentsIn(text)
      .map((comment) => ({ ...comment, text: comment.text.replace(/\s+/g, ' ') }))
      .filter(({ text: words }) => MARK.test(words));
    if (comments.length === 0) return;
    // Positions of a rendered text are those of its source, and comments are in the text.
    const documents = parseYamlDocuments(file, text).documents;
    for (const comment of comments) {
      const [, checks, reason] = COMMENT.exec(comment.text) ?? [];
      const ids = checks?.replaceAll(' ', '').split(',') ?? [];
      const unknown = ids.find((id) => !Object.hasOwn(CHECK_CATALOGUE, id));
      if (reason === undefined || unknown !== undefined) {
        const known = Object.keys(CHECK_CATALOGUE);
        const why = unknown === undefined ? FORM : `there is no check ${quote(unknown)}${didYouMean(unknown, known)}`;
        const message = `warning: this comment ignores nothing: ${why}`;
        this.problems.push({ file, ...(placeOf?.(comment) ?? comment), message });
        continue;
      }
      const document = documentOf(comment, documents);
      const index = document?.index ?? -1;
      const own = manifests.filter((manifest) => manifest.document.index === index);
      const place = document && placeOfComment(comment, document, own);
      for (const check of ids) this.#ignored.push({ comment, check, document: index, place, isUsed: false });
    }
  }

  /** True for a finding that a comment ignores. */
  ignores({ document, path }: Manifest, violation: Violation): boolean {
    const found = this.#ignored.filter(
      (ignored) =>
        ignored.check === violation.check &&
        ignored.document === document.index &&
        isInPlace(ignored.place, [...path, ...violation.path], violation),
    );
    for (const ignored of found) ignored.isUsed = true;
    return found.length > 0;
  }

  /** A note for each comment that has ignored nothing. */
  unused(): FileProblem[] {
    const { file, placeOf } = this.#source;
    return this.#ignored
      .filter(({ isUsed }) => !isUsed)
      .map(({ comment, check, place }) => ({
        file,
        ...(placeOf?.(comment) ?? comment),
        message:
          place === undefined
            ? `note: this comment ignores nothing: write it at a probe, at a container, or at the head of the document`
            : `note: this comment ignores ${check}, and there is no such finding here: remove the comment`,
      }));
  }
}

/** The document in which a comment stands, or which begins below it. */
function documentOf(
  { line, contentLine = line, isHead }: YamlComment,
  documents: readonly YamlDocument[],
): YamlDocument | undefined {
  const at = isHead ? contentLine : line;
  return documents.findLast((document) => document.position([]).line <= at);
}

function placeOfComment(
  { line, contentLine, isHead }: YamlComment,
  document: YamlDocument,
  manifests: readonly Manifest[],
): Place | undefined {
  if (isHead) return { path: [], name: '' };
  const places = manifests.flatMap(({ object, path }) => placesIn(object, path));
  const from = ({ path }: { readonly path: FieldPath }): number => document.position(path, { key: true }).line;
  const next = places.findLast((place) => from(place) === contentLine);
  return next ?? places.findLast((place) => from(place) <= line && line <= document.lastLine(place.path));
}

/** Containers and their probes below a value, each container before its probes. */
function placesIn(value: unknown, path: FieldPath): Place[] {
  if (Array.isArray(value)) return value.flatMap((entry, index) => placesIn(entry, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    Array.isArray(inner) && CONTAINER_LISTS.some((list) => list === key)
      ? inner.flatMap((container: unknown, index) => placesOfContainer(container, [...path, key, index]))
      : placesIn(inner, [...path, key]),
  );
}

function placesOfContainer(container: unknown, path: FieldPath): Place[] {
  const name = textAt(container, 'name') ?? '';
  const probes = PROBE_KINDS.filter((kind) => valueAt(container, [kind]) !== undefined);
  return [{ path, name }, ...probes.map((probe) => ({ path: [...path, probe], name }))];
}

function isInPlace(place: Place | undefined, path: FieldPath, { container, probe }: Violation): boolean {
  if (place === undefined) return false;
  const isBelow = place.path.every((step, index) => step === path[index]);
  if (isBelow || container !== place.name) return isBelow;
  // The path of a container ends with its index.
  const last = place.path.at(-1);
  return typeof last === 'number' || probe === last;
}
