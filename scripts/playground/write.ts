import { mkdirSync, writeFileSync } from 'node:fs';
import { playgroundPage } from './playground-page.ts';

const FILE = 'dist/playground.html';

/** Writes the playground: `npm run build:playground`. */
mkdirSync('dist', { recursive: true });
const page = await playgroundPage();
writeFileSync(FILE, page);
console.log(`${FILE}, ${Math.ceil(Buffer.byteLength(page) / 1000)} kB`);
