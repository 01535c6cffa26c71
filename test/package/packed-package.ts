import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { writePackageFolder } from '../../scripts/package/package-folder.ts';

const run = promisify(execFile);

/** The npm package, as `npm run pack` makes it. */
export interface PackedPackage {
  /** A directory for the test's own files. */
  readonly directory: string;
  /** The folder that was packed. */
  readonly folder: string;
  readonly tarball: string;
  /** The environment of a program that has Node and npm, and no network, settings or cache of this machine. */
  environment(node?: string): Record<string, string>;
  remove(): Promise<void>;
}

export async function packedPackage(): Promise<PackedPackage> {
  const directory = await mkdtemp(join(tmpdir(), 'probewright-package-'));
  const folder = join(directory, 'package');
  await writePackageFolder(folder);
  const pack = ['pack', folder, '--pack-destination', directory, '--silent'];
  const { stdout } = await run('npm', pack, { cwd: directory });
  return {
    directory,
    folder,
    tarball: join(directory, stdout.trim()),
    environment: (node = process.execPath) => ({
      PATH: [dirname(node), process.env['PATH'] ?? ''].join(':'),
      HOME: directory,
      npm_config_cache: join(directory, 'cache'),
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    }),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
