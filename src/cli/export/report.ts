import { outputLine } from '../../base/text/visible.ts';
import { ADMISSION_API, SERVED_SINCE, type AdmissionKind } from '../../native/admission-kinds.ts';
import { count } from '../../base/text/cut.ts';
import { EXPORT_LEVELS, type ExportedConstruct } from '../../native/constructs.ts';

/** What the report says about the constructs of policies. The worst level comes last, where people look. */
export const EXPORT_REPORTS: Readonly<
  Record<'text' | 'json' | 'markdown', (all: readonly ExportedConstruct[], kinds: readonly AdmissionKind[]) => string>
> = { text: asText, json: asJson, markdown: asMarkdown };

const WIDTH = 14;

function asText(all: readonly ExportedConstruct[], kinds: readonly AdmissionKind[]): string {
  const lines = inOrder(all).flatMap(({ id, level, text, uses }) => [
    `${level.padEnd(WIDTH)}${id}: ${text}`,
    ...(uses ?? []).map((use) => `${' '.repeat(WIDTH)}  ${use}`),
  ]);
  return [...lines, needs(kinds), summaryOf(all)].map((line) => `${outputLine(line)}\n`).join('');
}

function asJson(all: readonly ExportedConstruct[], kinds: readonly AdmissionKind[]): string {
  const needed = kinds.map((kind) => ({ apiVersion: ADMISSION_API, kind, kubernetes: SERVED_SINCE[kind] }));
  return `${JSON.stringify({ needs: needed, constructs: inOrder(all) }, undefined, 2)}\n`;
}

/** Names of policies are DNS names, so they have no sign that Markdown reads inside of code. */
function asMarkdown(all: readonly ExportedConstruct[], kinds: readonly AdmissionKind[]): string {
  const rows = inOrder(all).map(
    ({ id, level, text, uses }) =>
      `| ${level} | ${id} | ${outputLine(text)} | ${uses?.map((use) => `\`${outputLine(use)}\``).join('<br>') ?? 'every Pod'} |`,
  );
  return [
    '| level | construct | what it is | used by |',
    '|---|---|---|---|',
    ...rows,
    '',
    needs(kinds),
    summaryOf(all),
    '',
  ].join('\n');
}

/** `Needs MutatingAdmissionPolicy v1 (Kubernetes 1.36).` */
function needs(kinds: readonly AdmissionKind[]): string {
  return `Needs ${kinds.map((kind) => `${kind} v1 (on by default since Kubernetes ${SERVED_SINCE[kind]})`).join(' and ')}.`;
}

function inOrder(all: readonly ExportedConstruct[]): readonly ExportedConstruct[] {
  return EXPORT_LEVELS.flatMap((wanted) => all.filter(({ level }) => level === wanted));
}

function summaryOf(all: readonly ExportedConstruct[]): string {
  const used = all.filter(({ level, uses }) => level === 'not exported' && uses !== undefined);
  if (used.length === 0) return 'No policy needs what is not exported.';
  const names = used.map(({ id }) => id).join(', ');
  return `Policies need ${count(used.length, 'construct')} that the native policy leaves out: ${names}.`;
}
