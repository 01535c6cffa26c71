import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependenciesPage } from './dependencies-page.ts';

writeFileSync(join(import.meta.dirname, '../../docs/dependencies.md'), dependenciesPage());
