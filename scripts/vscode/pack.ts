import { mkdirSync, writeFileSync } from 'node:fs';
import { VERSION } from '../../src/base/version.ts';
import { vsix } from './vsix.ts';

const file = `dist/probewright-${VERSION}.vsix`;
mkdirSync('dist', { recursive: true });
writeFileSync(file, await vsix());
console.log(file);
