/** Writes the native policy that a test compares: `npm run generate:native`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { POLICY_FILE, policyFile } from './policy-file.ts';

const file = join(import.meta.dirname, '../..', POLICY_FILE);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, policyFile());
