import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkoutManifest } from '../package/package-manifest.ts';
import { writePackageFolder } from '../package/package-folder.ts';
import { actionPin, integrityOf, withActionPin } from './action-pin.ts';

/**
 * Writes the version and the integrity of the npm package into action.yml: `npm run release:pin`. With `--check`,
 * nothing is written, and another pin is an error. The package has the last commit that changes more than action.yml
 * (scripts/bundle.ts), so a commit of the pin does not change the package.
 */
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const work = mkdtempSync(join(tmpdir(), 'probewright-pin-'));
try {
  await writePackageFolder(join(work, 'package'));
  const args = ['pack', join(work, 'package'), '--pack-destination', work, '--silent'];
  const packed = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const pin = { version: checkoutManifest().version, integrity: integrityOf(readFileSync(join(work, packed))) };
  const before = readFileSync('action.yml', 'utf8');
  const after = withActionPin(before, pin);
  if (values.check && after !== before) {
    const { version, integrity } = actionPin(before);
    throw new Error(
      `action.yml has ${version} ${integrity}, and the package is ${pin.version} ${pin.integrity}: ` +
        'run npm run release:pin, commit action.yml, and move the tag',
    );
  }
  writeFileSync('action.yml', after);
  console.log(`action.yml: ${pin.version} ${pin.integrity}`);
} finally {
  rmSync(work, { recursive: true });
}
