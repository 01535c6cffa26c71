/** Writes the tables of commands and flags into docs/: `npm run generate:flags`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagesWithFlags } from './flag-pages.ts';

const docs = join(import.meta.dirname, '../../docs');
for (const [page, text] of pagesWithFlags((name) => readFileSync(join(docs, name), 'utf8')))
  writeFileSync(join(docs, page), text);
