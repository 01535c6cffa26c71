import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Replaces the file at a path. No reader sees half of the text. A symbolic link at the path is replaced, and its target
 * stays unchanged.
 *
 * @param mode the file's exact permissions; without a mode, read and write for all, minus the umask
 * @param owner the owner that the file gets if this process may give files away
 */
export async function replaceFile(path: string, text: string, mode?: number, owner?: FileOwner): Promise<void> {
  // Who writes no file starts without it.
  const { randomBytes } = await import('node:crypto');
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  // Exclusive, so that the write never follows a link that another process has created.
  const file = await open(temporary, 'wx', mode);
  try {
    try {
      // Before the mode, because a change of the owner removes set-user-ID bits.
      if (owner !== undefined) await file.chown(owner.uid, owner.gid).catch(() => undefined);
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(text);
      // Without it, a crash of the machine right after the rename can leave an empty file.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
