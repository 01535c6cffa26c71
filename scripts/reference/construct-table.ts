import { CONSTRUCTS } from '../../src/native/constructs.ts';
import { markdownTable } from './markdown-table.ts';

/** What the native policy has in full, in part or not: the sentences of the report of `export`. */
export function constructTable(): string {
  return markdownTable(
    ['id', 'level', 'what'],
    CONSTRUCTS.map(({ id, level, text }) => [`\`${id}\``, level, text]),
  );
}
