import { stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { count } from '../../base/text/cut.ts';
import type { InputNote } from './rendering-tool.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';

/** Why a file below a directory is passed over. In the order in which the line at the end counts them. */
const REASONS = {
  object: 'no Kubernetes object',
  template: 'a template that is not rendered',
  syntax: 'neither YAML nor JSON',
  link: 'a link that leads nowhere',
} as const;
export type PassedOverReason = keyof typeof REASONS;

/** A file that a directory holds, that nobody named, and that is no manifest. */
export interface PassedOver {
  readonly file: string;
  readonly reason: PassedOverReason;
}

/** A template of Helm, Jinja, ERB or mustache. */
const TEMPLATE = /\{\{|\{%|<%/;
/** What the author of a broken file meant to be a manifest. Its problem is told. */
const MANIFEST = /^(?:apiVersion:|kind: *["']?[A-Z]|[{ ]*"(?:apiVersion|kind)": *")/m;

/**
 * Why a file is passed over; undefined for a manifest. A file with an object of Kubernetes is one. So is a file that
 * cannot be parsed and has the field `apiVersion` or a `kind`.
 */
export function passedOverReason(
  text: string,
  objects: readonly JsonObject[],
  problems: readonly FileProblem[],
): PassedOverReason | undefined {
  if (objects.some(isKubernetesObject)) return undefined;
  // A file without a value holds comments only.
  if (problems.length === 0) return objects.length === 0 ? undefined : 'object';
  if (problems.every(({ message }) => message === NO_OBJECT)) return 'object';
  if (TEMPLATE.test(text)) return 'template';
  if (MANIFEST.test(text)) return undefined;
  return objects.length > 0 ? 'object' : 'syntax';
}

/** The problem of a document that is a list or a scalar. */
export const NO_OBJECT = 'is no Kubernetes object';

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
export function unreadLines(
  passedOver: readonly PassedOver[],
  notes: readonly InputNote[],
  command: string,
  isVerbose: boolean,
): string[] {
  const listed = isVerbose
    ? [
        ...passedOver.map(({ file, reason }) => `${file}: passed over: ${REASONS[reason]}`),
        ...notes.map((note) => noteLine(note, command)),
      ]
    : [];
  return [...listed, ...passedOverLine(passedOver, isVerbose), ...notesLine(notes, command, isVerbose)];
}

function passedOverLine(passedOver: readonly PassedOver[], isVerbose: boolean): string[] {
  if (passedOver.length === 0) return [];
  const byReason = Map.groupBy(passedOver, ({ reason }) => reason);
  const counts = (Object.keys(REASONS) as PassedOverReason[]).flatMap((reason) => {
    const files = byReason.get(reason);
    return files === undefined ? [] : [`${files.length} ${REASONS[reason]}`];
  });
  const how = isVerbose ? '' : '; --verbose lists them';
  return [`passed over ${count(passedOver.length, 'file')}: ${counts.join(', ')}${how}`];
}

function notesLine(notes: readonly InputNote[], command: string, isVerbose: boolean): string[] {
  const [only] = notes;
  if (only === undefined || isVerbose) return [];
  if (notes.length === 1) return [noteLine(only, command)];
  return [
    `${notes.length} charts and kustomizations are not rendered; --render-charts renders them, --verbose lists them`,
  ];
}

function noteLine({ subject, state, command: rendering }: InputNote, command: string): string {
  return `${subject}: ${state}; ${rendering} | probewright ${command} - (or add --render-charts)`;
}
