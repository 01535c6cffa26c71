/** Draws the README's pictures into docs/images: `npm run generate:images`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readmePictures } from './pictures.ts';

for (const [name, svg] of await readmePictures()) await writeFile(join('docs/images', name), svg);
