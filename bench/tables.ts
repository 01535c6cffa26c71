import type { Findings, Row } from './figures.ts';

/** The findings as Markdown, which is also how they are printed. */
export function markdown({ title, how, rows, skipped }: Findings): string {
  if (skipped !== undefined) return `## ${title}\n\nNot measured: ${skipped}\n`;
  const lines = rows.map((row) => [row.what, row.figure, row.spread, row.goal, verdict(row)]);
  return `## ${title}\n\n${how}\n\n${table(['What', 'Median', 'Rounds', 'Goal', 'Met'], lines)}\n`;
}

function verdict({ met }: Row): string {
  return met === undefined ? '' : met ? 'yes' : '**no**';
}

/** As Prettier writes tables, so that a page that is written by a command is formatted. */
function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  );
  const row = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [row(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines.map(row)].join('\n');
}
