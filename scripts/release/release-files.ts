import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutManifest } from '../package/package-manifest.ts';
import { writePackageFolder } from '../package/package-folder.ts';
import { playgroundPage } from '../playground/playground-page.ts';
import { writeArchive } from './archive.ts';
import { writeChartPackage } from './chart-package.ts';
import { krewManifest } from './krew-manifest.ts';
import { sbom, SBOM_FORMATS } from './sbom.ts';

/** What decides the bytes of a release, beside the checkout. */
export interface ReleaseOptions {
  /** The digest of the image that the chart installs. */
  readonly digest: string;
  /** The time of the commit, in seconds. */
  readonly epoch: number;
  /** The program helm, which checks the chart. Undefined = the chart is packed unchecked. */
  readonly helm: string | undefined;
}

/** The time of all files of a release: SOURCE_DATE_EPOCH, or the time of the commit. */
export function releaseEpoch(env: Readonly<Record<string, string | undefined>>): number {
  const given = env['SOURCE_DATE_EPOCH'] ?? '';
  const text = given !== '' ? given : execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim();
  if (!/^\d+$/.test(text)) throw new Error(`SOURCE_DATE_EPOCH must be a number of seconds, not ${text}`);
  return Number(text);
}

/** Writes all files of a release that need no network and no signature. Returns their names, sorted. */
export async function writeRelease(directory: string, { digest, epoch, helm }: ReleaseOptions): Promise<string[]> {
  const { version } = checkoutManifest();
  const work = join(directory, 'work');
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const place = (name: string): string => join(directory, name);

  await writePackageFolder(join(work, 'package'));
  const args = ['pack', join(work, 'package'), '--pack-destination', work, '--silent'];
  const packed = execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  writeFileSync(place(`probewright-npm-${version}.tgz`), readFileSync(join(work, packed)));

  const plugin = `kubectl-probewright-${version}.tar.gz`;
  writeArchive(place(plugin), work, 'package', epoch);
  writeFileSync(place('krew.yaml'), krewManifest(place(plugin), plugin));

  writeChartPackage(place(`probewright-chart-${version}.tgz`), join(work, 'chart'), { digest, epoch }, helm);
  writeFileSync(place(`playground-${version}.html`), await playgroundPage());
  for (const format of SBOM_FORMATS) writeFileSync(place(`sbom.${format}.json`), sbom(format, epoch));
  rmSync(work, { recursive: true });

  const names = readdirSync(directory).sort();
  const lines = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(place(name)))
        .digest('hex')}  ${name}`,
  );
  writeFileSync(place('checksums.txt'), `${lines.join('\n')}\n`);
  return [...names, 'checksums.txt'].sort();
}
