/** Draws the README's pictures into docs/images: `npm run generate:images`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pagePictures } from './page-pictures.ts';
import { readmePictures } from './pictures.ts';

const pictures = [...(await readmePictures()), ...(await pagePictures())];
for (const [name, content] of pictures) await writeFile(join('docs/images', name), content);
