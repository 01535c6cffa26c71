import { READY_MADE_KINDS } from '../../src/engine/workload/kinds.ts';
import { markdownTable } from './markdown-table.ts';

/** The custom kinds that are known from the start, as a Markdown table. */
export function kindTable(): string {
  const rows = READY_MADE_KINDS.map(({ group, kind, templatePaths, runsToCompletion }) => {
    const paths = templatePaths.map((path) => `\`${path.join('.')}\``).join(', ');
    return [`\`${group}\``, `\`${kind}\``, paths, runsToCompletion ? 'yes' : 'no'];
  });
  return markdownTable(['group', 'kind', 'where its Pod templates are', 'runs to completion'], rows);
}
