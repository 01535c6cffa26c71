import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { writePackageFolder } from './package-folder.ts';

/** Writes the npm package as a file: `npm run pack`. The file is dist/probewright-VERSION.tgz. */
const folder = join('dist', 'package');
await writePackageFolder(folder);
execFileSync('npm', ['pack', `./${folder}`, '--pack-destination', 'dist', '--silent'], { stdio: 'inherit' });
