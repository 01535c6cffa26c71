import { rmSync } from 'node:fs';
import { bundle } from './bundle.ts';

/** Bundles the program into dist/ for the container image. */
rmSync('dist', { recursive: true, force: true });
await bundle({ probewright: 'src/main.ts' }, 'dist');
