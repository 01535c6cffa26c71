import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from './markdown-table.ts';

const RULES = join(import.meta.dirname, '../../charts/probewright/templates/monitoring/prometheus-rule.yaml');

/** An alert of the template: its severity, or the usual one of two, and its summary. */
const ALERT =
  /\(dict "alert" "(\w+)" "severity" (?:"(\w+)"|\(ternary "critical" "(\w+)"[^\n]*?)(?: "for" "\w+")?\n[\s\S]*?"summary" "([^"]+)"/g;

/** The alerts of the chart as a Markdown table, in the words of their summaries. */
export function alertTable(): string {
  const text = readFileSync(RULES, 'utf8');
  const rows = [...text.matchAll(ALERT)].map(([, alert = '', severity, usual = '', summary = '']) => [
    `\`${alert}\``,
    severity ?? usual,
    summary,
  ]);
  const count = text.match(/\(dict "alert"/g)?.length ?? 0;
  if (rows.length !== count) throw new Error(`${RULES}: ${rows.length} of ${count} alerts can be read`);
  return markdownTable(['alert', 'severity', 'says'], rows);
}
