import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { markdownTable } from './markdown-table.ts';

/** The checks as a Markdown table, in the order of docs/checks.md, with links to their sections. */
export function checkTable(): string {
  return markdownTable(
    ['check', 'default', 'a violation means', 'parameters'],
    CHECKS.map(({ id, action, summary, parameters }) => [
      `[\`${id}\`](#${id})`,
      action,
      summary,
      Object.keys(parameters)
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
  );
}
