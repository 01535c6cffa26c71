import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Puts a file with this text in the place of a path: nobody reads half of it, and a symbolic link there is replaced and not followed.
 *
 * @param mode the file's exact permissions; without it, what the umask leaves of reading and writing for all
 */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  // Exclusive: never through a link that somebody has put there.
  const file = await open(temporary, 'wx', mode);
  try {
    try {
      if (mode !== undefined) await file.chmod(mode);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
