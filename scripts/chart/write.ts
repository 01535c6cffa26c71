import { writeFileSync } from 'node:fs';
import { chartFiles } from './chart-files.ts';

/** Writes the chart's README and the schema of its values anew: `npm run generate:chart`. */
for (const [path, text] of chartFiles()) {
  writeFileSync(path, text);
  console.log(path);
}
