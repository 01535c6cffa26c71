import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { count } from '../../base/text/cut.ts';
import { PROGRAM } from '../io.ts';
import { NO_OBJECT, problemsOfDocuments } from './manifest.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** Why a file below a directory is passed over. In the order in which the line at the end counts them. */
const REASONS = {
  object: 'no Kubernetes object',
  template: 'a template that is not rendered',
  syntax: 'neither YAML nor JSON',
  encoding: 'no UTF-8 text',
  link: 'a link that leads nowhere',
  kustomization: 'below a kustomization',
} as const;
type PassedOverReason = keyof typeof REASONS;

/** A file that a directory holds, that nobody named, and that is no manifest, or not as a whole. */
export interface PassedOver {
  readonly file: string;
  readonly reason: PassedOverReason;
}

/** A chart or kustomization that is not rendered: why, and a command whose output can be checked. */
export interface Unrendered {
  readonly why: string;
  readonly command?: string;
}

/** What is not read of the inputs, though nothing is wrong with it. */
export interface Unread {
  /** The files of directories that are no manifests. */
  readonly passedOver?: readonly PassedOver[];
  readonly notes?: readonly Unrendered[];
  /** Why other charts and kustomizations gave nothing to check. */
  readonly unchecked?: readonly string[];
}

const TEMPLATE = /\{\{|\{%|<%/;
/** What sed and envsubst replace. Scripts in manifests have such texts too, so only the line of a fault counts. */
const PLACEHOLDER = /\$\{|@\w+@|%\w+%|\{[A-Z]\w*\}/;
/** The kind of a manifest, and another `kind`. */
const KIND = /^(?:[{ ]*"kind" *: *"|kind: *["']?)[A-Z]/m;
const OTHER_KIND = /^(?:[{ ]*"kind" *:|kind:)/m;
const API_VERSION = /^(?:[{ ]*"apiVersion" *: *"|apiVersion:)/m;

/**
 * A file with an object of Kubernetes is a manifest. So is a file that cannot be parsed and has the field `apiVersion`
 * or a `kind`. Documents of a manifest that are templates, lists or scalars are passed over.
 *
 * @returns why the file, or a document of it, is passed over; whether its objects are read; the problems of a manifest
 */
export function foundText(
  text: string,
  objects: readonly JsonObject[],
  all: readonly FileProblem[],
): { reason: PassedOverReason | undefined; isManifest: boolean; problems: readonly FileProblem[] } {
  const faults = all.filter(({ message }) => message !== NO_OBJECT);
  const problems = faultsOutsideTemplates(text, faults);
  const isManifest = objects.some(isKubernetesObject) || (problems.length > 0 && isMeantAsManifest(text));
  const reason = (): PassedOverReason | undefined => {
    if (problems.length < faults.length) return 'template';
    if (isManifest) return faults.length < all.length ? 'object' : undefined;
    if (problems.length > 0 && objects.length === 0) return 'syntax';
    // A file without a value holds comments only.
    return objects.length + all.length > 0 ? 'object' : undefined;
  };
  return {
    reason: reason(),
    isManifest,
    problems: isManifest ? problems.map((each) => ({ ...each, isFound: true })) : [],
  };
}

/** True for a text that cannot be read and that its author meant to be a manifest: the problem is told. */
export function isMeantAsManifest(text: string): boolean {
  return KIND.test(text) || (API_VERSION.test(text) && !OTHER_KIND.test(text));
}

function faultsOutsideTemplates(text: string, faults: readonly FileProblem[]): readonly FileProblem[] {
  if (faults.length === 0) return faults;
  const ofTemplates = new Set(problemsOfDocuments(text, faults, (line) => TEMPLATE.test(line)));
  const lines = text.split('\n');
  return faults.filter((fault) => !ofTemplates.has(fault) && !PLACEHOLDER.test(lines[fault.line - 1] ?? ''));
}

function isKubernetesObject(object: JsonObject): boolean {
  return stringMember(object, 'apiVersion') !== undefined && stringMember(object, 'kind') !== undefined;
}

/**
 * The lines about what was not read: one for files that were passed over, and one for charts and kustomizations that
 * are not rendered.
 *
 * @param command the command that the user gave: `check`
 * @param isVerbose lists each of them
 */
export function unreadLines({ passedOver = [], notes = [] }: Unread, command: string, isVerbose: boolean): string[] {
  const byReason = Map.groupBy(passedOver, ({ reason }) => reason);
  const counts = (Object.keys(REASONS) as PassedOverReason[]).flatMap((reason) => {
    const files = byReason.get(reason);
    return files === undefined ? [] : [`${files.length} ${REASONS[reason]}`];
  });
  const summary = `passed over ${count(passedOver.length, 'file')}: ${counts.join(', ')}`;
  const noted = notes.map((note) => withPipe(note, command));
  if (isVerbose)
    return [
      ...passedOver.map(({ file, reason }) => `${file}: passed over: ${REASONS[reason]}`),
      ...noted,
      ...(passedOver.length > 0 ? [summary] : []),
    ];
  const many = `${notes.length} charts and kustomizations are not rendered; --verbose says why, and what to type`;
  return [
    ...(passedOver.length > 0 ? [`${summary}; --verbose lists them`] : []),
    ...(notes.length > 1 ? [many] : noted),
  ];
}

/** Why there is nothing to check, and what to type. Undefined when no chart and no kustomization explains it. */
export function reasonForNothing({ notes = [], unchecked = [] }: Unread, command: string): string | undefined {
  return [...notes.map((note) => withPipe(note, command)), ...unchecked][0];
}

function withPipe({ why, command }: Unrendered, own: string): string {
  return command === undefined ? why : `${why}; ${command} | ${PROGRAM} ${own} -`;
}
