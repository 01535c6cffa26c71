/** A Markdown table. A `|` in a cell is escaped. Cells are Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${row(head)}|${'---|'.repeat(head.length)}\n${rows.map(row).join('')}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

/** A plain text as Markdown: its signs stay signs. */
export function plainText(text: string): string {
  return text.replace(/[*<]/g, '\\$&');
}
