import { FOREIGN_CASE_EXCEPTIONS } from '../../test/foreign/foreign-case-exceptions.ts';
import { markdownTable } from './markdown-table.ts';

/** The cases of other tools with which the checks do not agree, by reason, as a Markdown table. */
export function foreignTable(): string {
  const byReason = Map.groupBy(Object.entries(FOREIGN_CASE_EXCEPTIONS), ([, reason]) => reason);
  return markdownTable(
    ['why we do not agree', 'cases'],
    [...byReason].map(([reason, cases]) => [reason, cases.map(([id]) => `\`${id}\``).join(', ')]),
  );
}
