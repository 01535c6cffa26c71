/** Writes the dependencies into docs/trust.md: `npm run generate:dependencies`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageWithDependencies } from './dependencies-page.ts';

const page = join(import.meta.dirname, '../../docs/trust.md');
writeFileSync(page, pageWithDependencies(readFileSync(page, 'utf8')));
