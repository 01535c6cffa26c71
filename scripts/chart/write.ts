import { writeFileSync } from 'node:fs';
import { chartFiles } from './chart-files.ts';

/** Writes the generated files of the chart: `npm run generate:chart`. */
for (const [path, text] of chartFiles()) {
  writeFileSync(path, text);
  console.log(path);
}
