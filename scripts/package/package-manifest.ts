import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OLDEST_NODE } from '../bundle.ts';

const root = join(import.meta.dirname, '../..');

/** What the packed package.json takes over from the checkout's. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly homepage: string;
  readonly repository: unknown;
}

/** The package.json of the checkout. */
export function checkoutManifest(): Manifest {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
}

/** The package.json of the npm package. The bundle has all code, so there are no dependencies. */
export function packageManifest(): unknown {
  const { name, version, description, license, homepage, repository } = checkoutManifest();
  return {
    name,
    version,
    description,
    keywords: ['kubernetes', 'probes', 'liveness', 'readiness', 'startup', 'admission-webhook', 'lint', 'krm-function'],
    license,
    homepage,
    repository,
    bugs: `${homepage}/issues`,
    type: 'module',
    engines: { node: `>=${OLDEST_NODE}` },
    bin: {
      probewright: 'bin/probewright.js',
      'kubectl-probewright': 'bin/probewright.js',
      'probewright-krm': 'bin/probewright-krm.js',
      'probewright-pre-commit': 'bin/probewright-pre-commit.js',
    },
    // For `moduleResolution: node10`, which does not read `exports`.
    types: './types/package/api/index.d.cts',
    main: './index.js',
    exports: {
      '.': {
        require: { types: './types/package/api/index.d.cts', default: './index.js' },
        default: { types: './types/package/api/index.d.ts', default: './index.js' },
      },
      './schemas/*': './schemas/*',
      './package.json': './package.json',
    },
    publishConfig: { access: 'public', provenance: true },
  };
}
