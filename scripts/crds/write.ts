import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { crdFiles } from './crd.ts';

/** Writes the CustomResourceDefinitions anew: `npm run generate:crds`. */
for (const [path, text] of crdFiles()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(path);
}
