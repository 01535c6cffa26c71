import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';

/**
 * Packs a folder as a .tar.gz of the same bytes on every machine: sorted, without owners, and with one time.
 *
 * @param epoch the time of all files, in seconds
 */
export function writeArchive(file: string, parent: string, folder: string, epoch: number): void {
  const fixed = ['--sort=name', `--mtime=@${epoch}`, '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  // Modes depend on the umask of the machine.
  const modes = '--mode=u=rwX,go=rX';
  const tar = execFileSync('tar', ['--create', ...fixed, modes, '--directory', parent, folder], {
    maxBuffer: 256 * 1024 * 1024,
  });
  writeFileSync(file, gzipSync(tar, { level: 9 }));
}
