import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutManifest } from '../package/package-manifest.ts';
import { writeArchive } from './archive.ts';

/** Where the release pushes the image. */
export const IMAGE = 'ghcr.io/probewright/probewright';

/** What a packed chart pins. */
export interface ReleasedImage {
  readonly digest: string;
  readonly epoch: number;
}

/**
 * Packs the chart with the image of the release: the repository and digest as default values, and the annotation from
 * which Artifact Hub scans the image. `helm package` would write the present time into the archive.
 *
 * @param work a directory for the changed chart
 * @throws Error when the chart has changed so that the image cannot be written into it, or helm rejects the chart
 */
export function writeChartPackage(
  file: string,
  work: string,
  { digest, epoch }: ReleasedImage,
  helm: string | undefined,
): void {
  const chart = join(work, 'probewright');
  mkdirSync(work, { recursive: true });
  cpSync('charts/probewright', chart, { recursive: true });
  replaceIn(join(chart, 'values.yaml'), /^ {2}repository: ''$/m, `  repository: ${IMAGE}`);
  replaceIn(join(chart, 'values.yaml'), /^ {2}digest: ''$/m, `  digest: ${digest}`);
  const { version } = checkoutManifest();
  const images = `  artifacthub.io/images: |\n    - name: probewright\n      image: ${IMAGE}:${version}@${digest}\n`;
  replaceIn(join(chart, 'Chart.yaml'), /^annotations:\n/m, `annotations:\n${images}`);
  if (helm !== undefined) execFileSync(helm, ['lint', '--quiet', chart], { stdio: ['ignore', 'ignore', 'inherit'] });
  writeArchive(file, work, 'probewright', epoch);
}

function replaceIn(file: string, pattern: RegExp, text: string): void {
  const before = readFileSync(file, 'utf8');
  if (!pattern.test(before)) throw new Error(`${file} has no line ${String(pattern)}`);
  writeFileSync(file, before.replace(pattern, text));
}
