import { outputLine } from '../../base/text/visible.ts';
import { count } from '../../base/text/cut.ts';
import { EXPORT_LEVELS, type ExportedConstruct } from '../../native/constructs.ts';

/** What the report says about the constructs of policies. The worst level comes last, where people look. */
export const EXPORT_REPORTS: Readonly<
  Record<'text' | 'json' | 'markdown', (all: readonly ExportedConstruct[]) => string>
> = { text: asText, json: asJson, markdown: asMarkdown };

const WIDTH = 14;

function asText(all: readonly ExportedConstruct[]): string {
  const lines = inOrder(all).flatMap(({ id, level, text, uses }) => [
    `${level.padEnd(WIDTH)}${id}: ${text}`,
    ...(uses ?? []).map((use) => `${' '.repeat(WIDTH)}  ${use}`),
  ]);
  return [...lines, summaryOf(all)].map((line) => `${outputLine(line)}\n`).join('');
}

function asJson(all: readonly ExportedConstruct[]): string {
  return `${JSON.stringify({ constructs: inOrder(all) }, undefined, 2)}\n`;
}

/** Names of policies are DNS names, so they have no sign that Markdown reads inside of code. */
function asMarkdown(all: readonly ExportedConstruct[]): string {
  const rows = inOrder(all).map(
    ({ id, level, text, uses }) =>
      `| ${level} | ${id} | ${outputLine(text)} | ${uses?.map((use) => `\`${outputLine(use)}\``).join('<br>') ?? 'every Pod'} |`,
  );
  return ['| level | construct | what it is | used by |', '|---|---|---|---|', ...rows, '', summaryOf(all), ''].join(
    '\n',
  );
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
