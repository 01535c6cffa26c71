import { rmSync, writeFileSync } from 'node:fs';
import { bundle, PROGRAM } from './bundle.ts';

/** Bundles the program into dist/ for the container image. */
rmSync('dist', { recursive: true, force: true });
await bundle(PROGRAM, 'dist');
// The directory may be copied anywhere. Without this file, an old Node would take its modules for CommonJS.
writeFileSync('dist/package.json', '{ "type": "module" }\n');
