/** Writes the tables of commands, flags, limits and metrics into docs/: `npm run generate:reference`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generatedPages } from './generated-pages.ts';

const docs = join(import.meta.dirname, '../../docs');
for (const [page, text] of generatedPages((name) => readFileSync(join(docs, name), 'utf8')))
  writeFileSync(join(docs, page), text);
