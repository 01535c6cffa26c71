import { writeFileSync } from 'node:fs';
import { CATALOGUE_FILE, catalogueText } from './catalogue-file.ts';

/** Writes the list of checks: `npm run generate:checks`. */
writeFileSync(CATALOGUE_FILE, catalogueText());
console.log(CATALOGUE_FILE);
