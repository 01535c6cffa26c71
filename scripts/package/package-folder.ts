import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle, PROGRAM } from '../bundle.ts';
import { schemaFiles, SCHEMAS } from '../schemas/schema-files.ts';
import { declarations, forBothModuleSystems } from './declarations.ts';
import { packageManifest } from './package-manifest.ts';
import { thirdPartyLicences } from './third-party-licences.ts';

/** Files of the checkout, and their places in the package. */
const COPIED: Readonly<Record<string, string>> = {
  LICENSE: 'LICENSE',
  'CHANGELOG.md': 'CHANGELOG.md',
  'integrations/npm/README.md': 'README.md',
  'integrations/npm/bin': 'bin',
  'integrations/npm/index.js': 'index.js',
  'integrations/helm': 'helm/probewright',
};

/** The files of the library. */
const LIBRARY = { api: 'src/package/api/index.ts', 'refuse-old-node': 'src/package/api/refuse-old-node.js' };

/** Writes the folder that `npm pack` packs. It has everything of the npm package, and nothing else. */
export async function writePackageFolder(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const metafile = await bundle({ ...PROGRAM, ...LIBRARY }, join(folder, 'dist'));
  write(folder, 'package.json', `${JSON.stringify(packageManifest(), undefined, 2)}\n`);
  write(folder, 'THIRD-PARTY-LICENSES.txt', thirdPartyLicences(metafile));
  for (const [name, text] of [...declarations()].flatMap(forBothModuleSystems))
    write(folder, join('types', name), text);
  for (const [name, text] of schemaFiles()) write(folder, join(SCHEMAS, name), text);
  for (const [from, to] of Object.entries(COPIED)) cpSync(from, join(folder, to), { recursive: true });
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
