import { writeFileSync } from 'node:fs';
import { CATALOGUE_FILE, catalogueText, EXAMPLES_FILE, examplesText } from './catalogue-file.ts';

/** Writes the list of checks, and their examples for the command line: `npm run generate:checks`. */
for (const [file, text] of [
  [CATALOGUE_FILE, catalogueText()],
  [EXAMPLES_FILE, examplesText()],
] as const) {
  writeFileSync(file, text);
  console.log(file);
}
