import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { count, cut } from '../../base/text/cut.ts';
import { PROGRAM } from '../io.ts';
import type { LeftOutCounts, ProjectReport } from '../output/json-outputs.ts';
import type { ProjectInForce } from './charts.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** The problem of a document that is a list or a scalar. */
export const NO_OBJECT = 'is no Kubernetes object';

/** Why a file below a directory is passed over. In the order in which the line at the end counts them. */
const REASONS = {
  object: 'no Kubernetes object',
  template: 'a template that is not rendered',
  syntax: 'neither YAML nor JSON',
  encoding: 'no UTF-8 text',
  link: 'a link that leads nowhere',
  kustomization: 'below a kustomization',
  project: 'excluded by the project file',
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
  /** How many charts and kustomizations are not checked. Absent without any. */
  readonly leftOut?: LeftOutCounts | undefined;
  /** What the project file leaves out and sets. */
  readonly project?: ProjectReport;
}

/** A line names no more paths, globs and settings than this, and of each no more characters. */
const MOST_NAMES = 10;
const LONGEST_NAME = 100;

const TEMPLATE = /\{\{|\{%|<%/;
/** What sed and envsubst replace. Scripts in manifests have such texts too, so only the line of a fault counts. */
const PLACEHOLDER = /\$\{|@\w+@|%\w+%|\{[A-Z]\w*\}/;
/** The kind of a manifest, and another `kind`. */
const KIND = /^(?:[{ ]*"kind" *: *"|kind: *["']?)[A-Z]/m;
const OTHER_KIND = /^(?:[{ ]*"kind" *:|kind:)/m;
const API_VERSION = /^(?:[{ ]*"apiVersion" *: *"|apiVersion:)/m;

/** Shorter texts are parsed in any case. */
export const LONGEST_PARSED = 2000;
/** Letters, and the end of a line, that a quoted key may have as escapes. */
const ESCAPED = /\\(?:u00[4-7]|U000000[4-7]|x[4-7]|[\r\n\u0085\u2028\u2029])/;
/** A key with a tag such as `!!binary` may be written in other letters. */
const TAG = /(?:^|[\s,[{?:-])!/m;
const CONTENT = /^[ \t]*[^\s#]/m;

/** False for a text without an object of Kubernetes: to parse data takes a hundred times its size of memory. */
export function mayHoldObject(text: string): boolean {
  return text.includes('apiVersion') || ESCAPED.test(text) || TAG.test(text) || isMeantAsManifest(text);
}

/** True for a long text that is passed over as no object without being parsed. */
export function isData(text: string): boolean {
  return text.length > LONGEST_PARSED && !mayHoldObject(text) && !TEMPLATE.test(text) && CONTENT.test(text);
}

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

/** The faults of a text that are no marks of templates. */
export function faultsOutsideTemplates(text: string, faults: readonly FileProblem[]): readonly FileProblem[] {
  if (faults.length === 0) return faults;
  const ofTemplates = new Set(problemsOfDocuments(text, faults, (line) => TEMPLATE.test(line)));
  const lines = text.split('\n');
  return faults.filter((fault) => !ofTemplates.has(fault) && !PLACEHOLDER.test(lines[fault.line - 1] ?? ''));
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
export function unreadLines(unread: Unread, command: string, isVerbose: boolean): string[] {
  const { notes = [] } = unread;
  const ofProject = projectLines(unread.project, isVerbose);
  const passedOver = (unread.passedOver ?? []).filter(({ reason }) => reason !== 'project');
  const byReason = Map.groupBy(passedOver, ({ reason }) => reason);
  const counts = (Object.keys(REASONS) as PassedOverReason[]).flatMap((reason) => {
    const files = byReason.get(reason);
    return files === undefined ? [] : [`${files.length} ${REASONS[reason]}`];
  });
  const summary = `passed over ${count(passedOver.length, 'file')}: ${counts.join(', ')}`;
  const noted = notes.map((note) => withPipe(note, command));
  if (isVerbose)
    return [
      ...ofProject,
      ...passedOver.map(({ file, reason }) => `${file}: passed over: ${REASONS[reason]}`),
      ...noted,
      ...(passedOver.length > 0 ? [summary] : []),
    ];
  const many = `${notes.length} charts and kustomizations are not rendered; --verbose says why, and what to type`;
  return [
    ...ofProject,
    ...(passedOver.length > 0 ? [`${summary}; --verbose lists them`] : []),
    ...(notes.length > 1 ? [many] : noted),
  ];
}

/** What a project file leaves out of the inputs, and sets. It may turn a red result green, so outputs name it. */
export function projectReport({ file, exclude, sets }: ProjectInForce, { passedOver = [] }: Unread): ProjectReport {
  const leftOut = passedOver.filter(({ reason }) => reason === 'project').map((each) => each.file);
  return { file, exclude, leftOut, sets };
}

/**
 * The line about a project file: `.probewright.yaml leaves out 2 paths by exclude [old]: a/old, b/old`. None without a
 * file, and for a file that changes nothing.
 */
export function projectLines(project: ProjectReport | undefined, isVerbose = false): readonly string[] {
  const { file = '', exclude = [], leftOut = [], sets = [] } = project ?? {};
  const shown = (all: readonly string[]): string => {
    const most = isVerbose ? all.length : MOST_NAMES;
    const names = all.slice(0, most).map((name) => cut(name, isVerbose ? Infinity : LONGEST_NAME));
    return [...names, ...(all.length > most ? [`${all.length - most} more, which --verbose lists`] : [])].join(', ');
  };
  const parts = [
    ...(leftOut.length > 0
      ? [`leaves out ${count(leftOut.length, 'path')} by exclude [${shown(exclude)}]: ${shown(leftOut)}`]
      : []),
    ...(sets.length > 0 ? [`sets ${shown(sets)}`] : []),
  ];
  return parts.length > 0 ? [`${file} ${parts.join('; ')}`] : [];
}

/** How many charts and kustomizations are not checked: `20 charts and 1 kustomization left out`. */
export function leftOutText({ charts, kustomizations }: LeftOutCounts): string {
  const counts = [
    ...(charts > 0 ? [count(charts, 'chart')] : []),
    ...(kustomizations > 0 ? [count(kustomizations, 'kustomization')] : []),
  ];
  return `${counts.join(' and ')} left out`;
}

/** Why something is not rendered, with the command to type. `own` is the command that the user gave. */
export function withPipe({ why, command }: Unrendered, own: string): string {
  return command === undefined ? why : `${why}; ${command} | ${PROGRAM} ${own} -`;
}
