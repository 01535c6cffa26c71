import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { schemaFiles, SCHEMAS } from './schema-files.ts';

/** Writes the JSON Schemas again: `npm run generate:crds`. */
rmSync(SCHEMAS, { recursive: true, force: true });
for (const [file, text] of schemaFiles()) {
  const path = join(SCHEMAS, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(path);
}
