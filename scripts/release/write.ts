import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseEpoch, writeRelease } from './release-files.ts';

/**
 * Writes the files of a release to dist/release: `npm run release -- --digest sha256:...`. With `--dry-run` the files
 * are written twice, with a digest of zeros, and must be equal.
 */
const { values } = parseArgs({
  options: { digest: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
});
const digest = values['dry-run'] ? `sha256:${'0'.repeat(64)}` : (values.digest ?? '');
if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error('--digest sha256:... is needed: the digest of the image');

const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const helm = folders.map((folder) => join(folder, 'helm')).find((path) => path !== 'helm' && existsSync(path));
if (helm === undefined)
  console.log('helm is neither in KUBEBUILDER_ASSETS nor on the PATH: the chart is packed unchecked');

const options = { digest, epoch: releaseEpoch(process.env), helm };
const directory = join('dist', 'release');
const names = await writeRelease(directory, options);
const checksums = readFileSync(join(directory, 'checksums.txt'), 'utf8');
process.stdout.write(checksums);
if (values['dry-run']) {
  await writeRelease(directory, options);
  const again = readFileSync(join(directory, 'checksums.txt'), 'utf8');
  const differing = checksums.split('\n').filter((line) => !again.split('\n').includes(line));
  if (differing.length > 0) throw new Error(`two runs gave other bytes:\n${differing.join('\n')}`);
  console.log(`${names.length} files, twice the same bytes`);
}
