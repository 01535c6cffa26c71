import { writeFileSync } from 'node:fs';
import { COMPILED_PAGE_FILE, compiledPageText } from './compiled-page.ts';

/** Writes the compiled page of the report: `npm run generate:report`. */
writeFileSync(COMPILED_PAGE_FILE, await compiledPageText());
console.log(COMPILED_PAGE_FILE);
